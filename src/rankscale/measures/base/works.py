"""The works that measures are from: the register behind their References, as BibTeX has it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankscale.measures.base.measure import Measure


@dataclass(frozen=True)
class Work:
    """One work: its key, how docstrings cite it, and the fields of its entry."""

    key: str
    cited: str  # the words of a section References, exactly
    kind: str  # article, book, ...
    fields: tuple[tuple[str, str], ...]

    def bibtex(self) -> str:
        r"""The entry, in ASCII: letters with accents are written with LaTeX's commands.

        >>> from rankscale.measures.base.register import find
        >>> print(works_of(find("RBP"))[0].bibtex())
        @article{moffat2008rank,
          author = {Moffat, Alistair and Zobel, Justin},
          title = {Rank-Biased Precision for Measurement of Retrieval Effectiveness},
          journal = {ACM Transactions on Information Systems},
          volume = {27},
          number = {1},
          year = {2008},
        }
        """
        lines = (f"  {name} = {{{''.join(ACCENTS.get(c, c) for c in value)}}}," for name, value in self.fields)
        return "\n".join([f"@{self.kind}{{{self.key},", *map(_wrapped, lines), "}"])


ACCENTS = {"ä": r"{\"a}", "ö": r"{\"o}", "ü": r"{\"u}", "é": r"{\'e}"}


def _wrapped(line: str) -> str:
    from textwrap import fill

    return fill(line, 116, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)


def _work(key: str, cited: str, kind: str, author: str, title: str, **more: str) -> Work:
    return Work(key, cited, kind, (("author", author), ("title", title), *more.items()))


WORKS = (
    _work(
        "agrawal2009diversifying",
        "Agrawal, Gollapudi, Halverson and Ieong, Diversifying Search Results, WSDM 2009",
        "inproceedings",
        "Agrawal, Rakesh and Gollapudi, Sreenivas and Halverson, Alan and Ieong, Samuel",
        "Diversifying Search Results",
        booktitle="WSDM 2009",
        year="2009",
    ),
    _work(
        "angelini2012cumulated",
        "Angelini, Ferro, Järvelin, Keskustalo, Pirkola, Santucci and Silvello, Cumulated Relative Position: "
        "A Metric for Ranking Evaluation, CLEF 2012",
        "inproceedings",
        "Angelini, Marco and Ferro, Nicola and Järvelin, Kalervo and Keskustalo, Heikki and Pirkola, Ari and "
        "Santucci, Giuseppe and Silvello, Gianmaria",
        "Cumulated Relative Position: A Metric for Ranking Evaluation",
        booktitle="Information Access Evaluation: CLEF 2012",
        year="2012",
    ),
    _work(
        "azzopardi2021err",
        "Azzopardi, Mackenzie and Moffat, ERR is not C/W/L: Exploring the Relationship Between Expected Reciprocal "
        "Rank and Other Metrics, ICTIR 2021",
        "inproceedings",
        "Azzopardi, Leif and Mackenzie, Joel and Moffat, Alistair",
        "{ERR} is not {C/W/L}: Exploring the Relationship Between Expected Reciprocal Rank and Other Metrics",
        booktitle="ICTIR 2021",
        year="2021",
    ),
    _work(
        "borlund1998measures",
        "Borlund and Ingwersen, Measures of Relative Relevance and Ranked Half-Life, SIGIR 1998",
        "inproceedings",
        "Borlund, Pia and Ingwersen, Peter",
        "Measures of Relative Relevance and Ranked Half-Life: Performance Indicators for Interactive {IR}",
        booktitle="SIGIR 1998",
        year="1998",
    ),
    _work(
        "buckley2004retrieval",
        "Buckley and Voorhees, Retrieval Evaluation with Incomplete Information, SIGIR 2004",
        "inproceedings",
        "Buckley, Chris and Voorhees, Ellen M.",
        "Retrieval Evaluation with Incomplete Information",
        booktitle="SIGIR 2004",
        year="2004",
    ),
    _work(
        "buckley2005retrieval",
        "Buckley and Voorhees, Retrieval System Evaluation, in TREC, MIT Press, 2005",
        "incollection",
        "Buckley, Chris and Voorhees, Ellen M.",
        "Retrieval System Evaluation",
        booktitle="{TREC}: Experiment and Evaluation in Information Retrieval",
        publisher="MIT Press",
        year="2005",
    ),
    _work(
        "burges2005learning",
        "discount of Burges et al., ICML 2005",
        "inproceedings",
        "Burges, Chris and Shaked, Tal and Renshaw, Erin and Lazier, Ari and Deeds, Matt and Hamilton, Nicole and "
        "Hullender, Greg",
        "Learning to Rank Using Gradient Descent",
        booktitle="ICML 2005",
        year="2005",
    ),
    _work(
        "carterette2008evaluation",
        "Carterette and Bennett, Evaluation Measures for Preference Judgments, SIGIR 2008",
        "inproceedings",
        "Carterette, Ben and Bennett, Paul N.",
        "Evaluation Measures for Preference Judgments",
        booktitle="SIGIR 2008",
        year="2008",
    ),
    _work(
        "chapelle2009expected",
        "Chapelle, Metzler, Zhang and Grinspan, Expected Reciprocal Rank for Graded Relevance, CIKM 2009",
        "inproceedings",
        "Chapelle, Olivier and Metzler, Donald and Zhang, Ya and Grinspan, Pierre",
        "Expected Reciprocal Rank for Graded Relevance",
        booktitle="CIKM 2009",
        year="2009",
    ),
    _work(
        "clarke2008novelty",
        "Clarke, Kolla, Cormack, Vechtomova, Ashkan, Büttcher and MacKinnon, SIGIR 2008",
        "inproceedings",
        "Clarke, Charles L. A. and Kolla, Maheedhar and Cormack, Gordon V. and Vechtomova, Olga and Ashkan, Azin and "
        "Büttcher, Stefan and MacKinnon, Ian",
        "Novelty and Diversity in Information Retrieval Evaluation",
        booktitle="SIGIR 2008",
        year="2008",
    ),
    _work(
        "clarke2009effectiveness",
        "Clarke, Kolla and Vechtomova, An Effectiveness Measure for Ambiguous and Underspecified Queries, ICTIR 2009",
        "inproceedings",
        "Clarke, Charles L. A. and Kolla, Maheedhar and Vechtomova, Olga",
        "An Effectiveness Measure for Ambiguous and Underspecified Queries",
        booktitle="ICTIR 2009",
        year="2009",
    ),
    _work(
        "clarke2011comparative",
        "Clarke, Craswell, Soboroff and Ashkan, WSDM 2011",
        "inproceedings",
        "Clarke, Charles L. A. and Craswell, Nick and Soboroff, Ian and Ashkan, Azin",
        "A Comparative Analysis of Cascade Measures for Novelty and Diversity",
        booktitle="WSDM 2011",
        year="2011",
    ),
    _work(
        "clarke2021assessing",
        "Clarke, Vtyurina and Smucker, Assessing Top-k Preferences, TOIS 39(3), 2021",
        "article",
        "Clarke, Charles L. A. and Vtyurina, Alexandra and Smucker, Mark D.",
        "Assessing Top-$k$ Preferences",
        journal="ACM Transactions on Information Systems",
        volume="39",
        number="3",
        year="2021",
    ),
    _work(
        "cooper1968expected",
        "Cooper, Expected Search Length, American Documentation 19(1), 1968",
        "article",
        "Cooper, William S.",
        "Expected Search Length: A Single Measure of Retrieval Effectiveness Based on the Weak Ordering Action of "
        "Retrieval Systems",
        journal="American Documentation",
        volume="19",
        number="1",
        year="1968",
    ),
    _work(
        "ferrante2020interval",
        "Ferrante, Ferro and Losiouk, How do interval scales help us with better understanding IR evaluation "
        "results?, Information Retrieval Journal 23(3), 2020",
        "article",
        "Ferrante, Marco and Ferro, Nicola and Losiouk, Eleonora",
        "How do interval scales help us with better understanding {IR} evaluation results?",
        journal="Information Retrieval Journal",
        volume="23",
        number="3",
        year="2020",
    ),
    _work(
        "ferrante2021towards",
        "Ferrante, Ferro and Fuhr, Towards Meaningful Statements in IR Evaluation: Mapping Evaluation Measures to "
        "Interval Scales, IEEE Access 9, 2021",
        "article",
        "Ferrante, Marco and Ferro, Nicola and Fuhr, Norbert",
        "Towards Meaningful Statements in {IR} Evaluation: Mapping Evaluation Measures to Interval Scales",
        journal="IEEE Access",
        volume="9",
        year="2021",
    ),
    _work(
        "ferro2016twist",
        "Ferro, Silvello, Keskustalo, Pirkola and Järvelin, The Twist Measure for IR Evaluation: Taking User's "
        "Effort Into Account, JASIST 67(3), 2016",
        "article",
        "Ferro, Nicola and Silvello, Gianmaria and Keskustalo, Heikki and Pirkola, Ari and Järvelin, Kalervo",
        "The Twist Measure for {IR} Evaluation: Taking User's Effort Into Account",
        journal="Journal of the Association for Information Science and Technology",
        volume="67",
        number="3",
        year="2016",
    ),
    _work(
        "jarvelin2002cumulated",
        "Järvelin and Kekäläinen, TOIS 20(4), 2002",
        "article",
        "Järvelin, Kalervo and Kekäläinen, Jaana",
        "Cumulated Gain-Based Evaluation of {IR} Techniques",
        journal="ACM Transactions on Information Systems",
        volume="20",
        number="4",
        year="2002",
    ),
    _work(
        "kekalainen2002using",
        "Kekäläinen and Järvelin, Using Graded Relevance Assessments in IR Evaluation, JASIST 53(13), 2002",
        "article",
        "Kekäläinen, Jaana and Järvelin, Kalervo",
        "Using Graded Relevance Assessments in {IR} Evaluation",
        journal="Journal of the American Society for Information Science and Technology",
        volume="53",
        number="13",
        year="2002",
    ),
    _work(
        "losee1998text",
        "Losee, Text Retrieval and Filtering: Analytic Models of Performance, Kluwer, 1998",
        "book",
        "Losee, Robert M.",
        "Text Retrieval and Filtering: Analytic Models of Performance",
        publisher="Kluwer",
        year="1998",
    ),
    _work(
        "macavaney2022streamlining",
        "MacAvaney, Macdonald and Ounis, Streamlining Evaluation with ir-measures, ECIR 2022",
        "inproceedings",
        "MacAvaney, Sean and Macdonald, Craig and Ounis, Iadh",
        "Streamlining Evaluation with ir-measures",
        booktitle="ECIR 2022",
        year="2022",
    ),
    _work(
        "meng2004user",
        "Meng and Chen, On User-Oriented Measurements of Effectiveness of Web Information Retrieval Systems, "
        "International Conference on Internet Computing, 2004",
        "inproceedings",
        "Meng, Xiannong and Chen, Zhixiang",
        "On User-Oriented Measurements of Effectiveness of Web Information Retrieval Systems",
        booktitle="International Conference on Internet Computing",
        year="2004",
    ),
    _work(
        "moffat2008rank",
        "Moffat and Zobel, TOIS 27(1), 2008",
        "article",
        "Moffat, Alistair and Zobel, Justin",
        "Rank-Biased Precision for Measurement of Retrieval Effectiveness",
        journal="ACM Transactions on Information Systems",
        volume="27",
        number="1",
        year="2008",
    ),
    _work(
        "moffat2012models",
        "Moffat, Scholer and Thomas, Models and Metrics: IR Evaluation as a User Process, ADCS 2012",
        "inproceedings",
        "Moffat, Alistair and Scholer, Falk and Thomas, Paul",
        "Models and Metrics: {IR} Evaluation as a User Process",
        booktitle="ADCS 2012",
        year="2012",
    ),
    _work(
        "moffat2015inst",
        "Moffat, Bailey, Scholer and Thomas, INST: An Adaptive Metric for Information Retrieval Evaluation, ADCS 2015",
        "inproceedings",
        "Moffat, Alistair and Bailey, Peter and Scholer, Falk and Thomas, Paul",
        "{INST}: An Adaptive Metric for Information Retrieval Evaluation",
        booktitle="ADCS 2015",
        year="2015",
    ),
    _work(
        "moffat2017incorporating",
        "Moffat, Bailey, Scholer and Thomas, Incorporating User Expectations, TOIS 35(3), 2017",
        "article",
        "Moffat, Alistair and Bailey, Peter and Scholer, Falk and Thomas, Paul",
        "Incorporating User Expectations and Behavior into the Measurement of Search Effectiveness",
        journal="ACM Transactions on Information Systems",
        volume="35",
        number="3",
        year="2017",
    ),
    _work(
        "pollack1968measures",
        "Pollack, Measures for the Comparison of Information Retrieval Systems, American Documentation 19(4), 1968",
        "article",
        "Pollack, Stephen M.",
        "Measures for the Comparison of Information Retrieval Systems",
        journal="American Documentation",
        volume="19",
        number="4",
        year="1968",
    ),
    _work(
        "robertson2000trec",
        "Robertson and Hull, The TREC-9 Filtering Track Final Report, 2000",
        "inproceedings",
        "Robertson, Stephen and Hull, David A.",
        "The {TREC-9} Filtering Track Final Report",
        booktitle="TREC-9",
        year="2000",
    ),
    _work(
        "robertson2006gmap",
        "Robertson, On GMAP: and other transformations, CIKM 2006",
        "inproceedings",
        "Robertson, Stephen",
        "On {GMAP}: and other transformations",
        booktitle="CIKM 2006",
        year="2006",
    ),
    _work(
        "robertson2010extending",
        "Robertson, Kanoulas and Yilmaz, Extending Average Precision to Graded Relevance Judgments, SIGIR 2010",
        "inproceedings",
        "Robertson, Stephen E. and Kanoulas, Evangelos and Yilmaz, Emine",
        "Extending Average Precision to Graded Relevance Judgments",
        booktitle="SIGIR 2010",
        year="2010",
    ),
    _work(
        "robertson2012smoothing",
        "Robertson, On Smoothing Average Precision, ECIR 2012",
        "inproceedings",
        "Robertson, Stephen",
        "On Smoothing Average Precision",
        booktitle="ECIR 2012",
        year="2012",
    ),
    _work(
        "rocchio1966document",
        "Rocchio, Document Retrieval Systems: Optimization and Evaluation, doctoral thesis, Harvard, 1966",
        "phdthesis",
        "Rocchio, Joseph J.",
        "Document Retrieval Systems: Optimization and Evaluation",
        school="Harvard University",
        year="1966",
    ),
    _work(
        "sakai2007reliability",
        "Sakai, On the Reliability of Information Retrieval Metrics Based on Graded Relevance, IPM 43(2), 2007",
        "article",
        "Sakai, Tetsuya",
        "On the Reliability of Information Retrieval Metrics Based on Graded Relevance",
        journal="Information Processing and Management",
        volume="43",
        number="2",
        year="2007",
    ),
    _work(
        "sakai2011evaluating",
        "Sakai and Song, Evaluating Diversified Search Results Using Per-Intent Graded Relevance, SIGIR 2011",
        "inproceedings",
        "Sakai, Tetsuya and Song, Ruihua",
        "Evaluating Diversified Search Results Using Per-Intent Graded Relevance",
        booktitle="SIGIR 2011",
        year="2011",
    ),
    _work(
        "salton1983introduction",
        "Salton and McGill, Introduction to Modern Information Retrieval, 1983",
        "book",
        "Salton, Gerard and McGill, Michael J.",
        "Introduction to Modern Information Retrieval",
        publisher="McGraw-Hill",
        year="1983",
    ),
    _work(
        "shaw1986foundation",
        "Shaw, On the Foundation of Evaluation, JASIS 37(5), 1986",
        "article",
        "Shaw, William M.",
        "On the Foundation of Evaluation",
        journal="Journal of the American Society for Information Science",
        volume="37",
        number="5",
        year="1986",
    ),
    _work(
        "thakur2021beir",
        "Thakur, Reimers, Rücklé, Srivastava and Gurevych, BEIR: A Heterogeneous Benchmark for Zero-shot Evaluation "
        "of Information Retrieval Models, NeurIPS Datasets and Benchmarks 2021",
        "inproceedings",
        "Thakur, Nandan and Reimers, Nils and Rücklé, Andreas and Srivastava, Abhishek and Gurevych, Iryna",
        "{BEIR}: A Heterogeneous Benchmark for Zero-shot Evaluation of Information Retrieval Models",
        booktitle="NeurIPS Datasets and Benchmarks 2021",
        year="2021",
    ),
    _work(
        "thakur2025freshstack",
        "Thakur, Lin, Havens, Carbin, Khattab and Drozdov, FreshStack, 2025",
        "misc",
        "Thakur, Nandan and Lin, Jimmy and Havens, Sam and Carbin, Michael and Khattab, Omar and Drozdov, Andrew",
        "FreshStack: Building Realistic Benchmarks for Evaluating Retrieval on Technical Documents",
        year="2025",
    ),
    _work(
        "vanrijsbergen1979information",
        "van Rijsbergen, Information Retrieval, Butterworths, 1979",
        "book",
        "van Rijsbergen, C. J.",
        "Information Retrieval",
        publisher="Butterworths",
        year="1979",
    ),
    _work(
        "voorhees1999trec",
        "Voorhees, The TREC-8 Question Answering Track Report, TREC-8, 1999",
        "inproceedings",
        "Voorhees, Ellen M.",
        "The {TREC-8} Question Answering Track Report",
        booktitle="TREC-8",
        year="1999",
    ),
    _work(
        "yilmaz2006estimating",
        "Yilmaz and Aslam, Estimating Average Precision with Incomplete and Imperfect Judgments, CIKM 2006",
        "inproceedings",
        "Yilmaz, Emine and Aslam, Javed A.",
        "Estimating Average Precision with Incomplete and Imperfect Judgments",
        booktitle="CIKM 2006",
        year="2006",
    ),
    _work(
        "zhai2003beyond",
        "Zhai, Cohen and Lafferty, Beyond Independent Relevance, SIGIR 2003",
        "inproceedings",
        "Zhai, ChengXiang and Cohen, William W. and Lafferty, John",
        "Beyond Independent Relevance: Methods and Evaluation Metrics for Subtopic Retrieval",
        booktitle="SIGIR 2003",
        year="2003",
    ),
    _work(
        "zhang2017evaluating",
        "Zhang et al., Evaluating Web Search with a Bejeweled Player Model, SIGIR 2017",
        "inproceedings",
        "Zhang, Fan and others",
        "Evaluating Web Search with a Bejeweled Player Model",
        booktitle="SIGIR 2017",
        year="2017",
    ),
)
# Programs: one entry for trec_eval, whatever part of it a measure is from.
PROGRAM = Work(
    "buckley_trec_eval",
    "",
    "misc",
    (("author", "Buckley, Chris"), ("title", "trec{\\_}eval"), ("howpublished", "Computer program")),
)
OF_PROGRAM = (
    "Buckley's trec_eval 3, 3-pt_avg",
    "Buckley, experimental measure of trec_eval, 2008",
    "Buckley's trec_eval",
    "Buckley's trec_eval, relative_P",
    "Buckley's trec_eval, set_map",
    "documented in Buckley's trec_eval",
)
WITHOUT_ENTRY = ("Tomlinson", "norm of MATTERS, the authors' program, 2014")  # no publication
_BY_CITATION = {work.cited: work for work in WORKS} | dict.fromkeys(OF_PROGRAM, PROGRAM)


def by_citation(words: str) -> Work | None:
    """The work that a part of a section References cites; None where it has no entry here."""
    return _BY_CITATION.get(words)


def works_of(measure: "Measure | type[Measure]") -> tuple[Work, ...]:
    """The works that a measure is from; of a measure made of another, those of the other too."""
    own = (by_citation(words) for words in measure.paper.split("; "))
    parts = [] if isinstance(measure, type) else [part for part in vars(measure).values() if hasattr(part, "paper")]
    works = [*own, *(work for part in parts for work in works_of(part))]
    return tuple(dict.fromkeys(work for work in works if work is not None))


def bibliography(measures: "Iterable[Measure | type[Measure]]") -> str:
    """BibTeX entries of the works that measures are from, each once, by key."""
    works = {work.key: work for measure in measures for work in works_of(measure)}
    return "\n\n".join(works[key].bibtex() for key in sorted(works)) + "\n"
