"""What -h prints."""

HELP = """\
rankscale trec_eval [options] QRELS RUN

Evaluates the rankings in RUN against the judgments in QRELS, as trec_eval does: same options, same output.
Files may be compressed (gz, bz2, xz, zst). Options may be joined (-qc, -l2) and long names cut short.

 --compat 9|9.0.8|10
     The version to agree with: 9 for the tag v9.0.8 of 2020, which calls itself 9.0.7 (the default); 9.0.8 for the tag
     trec_eval-9.0.8 of 2023, the same with scores in double precision; 10 for the tag v10.0.
 -h  --help                         This text.
 -v  --version                      The version agreed with, on standard error.
 -q  --query_eval_wanted            Values of each topic, besides those of all topics.
 -n  --nosummary                    No values of all topics.
 -m  --measure NAME[.PARAMETERS]    Print this measure; may be repeated. Without -m: official.
     official      the main measures
     all_trec      all measures of the usual files
     set           measures of sets, not of rankings
     prefs         measures of preferences, with -R prefs and -R qrels_prefs; all_prefs has all 14
     qrels_jg      map, P and Rprec_mult averaged over assessors, with -R qrels_jg
     P.5,20        a measure with parameters: depths here; recall levels in iprec_at_recall and 11pt_avg, multiples of
                   the number of relevant documents in Rprec_mult, gains of grades in ndcg.1=3,2=9 (also ndcg_rel,
                   Rndcg, G, dcg, ideal_dcg, rbp), the persistence in rbp.p=0.8, weights in utility.1,-1,0,0, the
                   weight of recall in set_F.0.5, the length of relstring.20
 -c  --complete_rel_info_wanted     Average over all topics in QRELS; those that RUN lacks count as 0.
 -l  --level_for_rel N              The lowest grade that is relevant (1).
 -J  --Judged_docs_only             Take documents without a judgment out of the rankings.
 -M  --Max_retrieved_per_topic N    Look at the first N documents of each topic.
 -N  --Number_docs_in_coll N        Documents in the collection (for the fourth weight of utility).
 -Z  --Zscore FILE                  Print z-scores; lines of FILE: topic measure mean standard-deviation.
 -D  --Debug_level N[.TOPIC]        Evaluate this topic alone; the debug level itself prints nothing here.
 -R  --Rel_info_format FORM         The form of QRELS: qrels (the default), prefs, qrels_prefs or qrels_jg.
 -T  --Results_format trec_results  The form of RUN.
 -o                                 Ignored.

QRELS: topic iteration document grade. A grade below 0 means: pooled, but not judged.
       -R prefs: topic assessor list document level. In a list, a higher level is preferred to a lower one; several
       lists of an assessor are put together. -R qrels_prefs: topic assessor document level, one list for each
       assessor. -R qrels_jg: topic assessor document grade, qrels of several assessors.
RUN:   topic Q0 document rank score tag. Documents are ordered by score, then by document id, both descending.

Exit codes: 1 usage or unknown measure, 2 a file that cannot be read, 4 a measure that cannot be computed (a document
twice, another -R; in version 10 a topic missing from RUN without -c), 7 no topic in both files, 134 preferences that
contradict each other (trec_eval aborts), 255 the file of -Z.

What version 10 changed: scores in double precision (9: single), recall cutoffs rounded (9: up, from one tenth), comment
lines (#), RUN may be - for standard input, rbp, rbp_resid and unj in all_trec, dcg and ideal_dcg on request, and under
-c lines for the topics that RUN lacks; without -c such a topic ends the evaluation.

Defects of trec_eval that are reproduced, so that the output agrees (rankscale evaluate has none of them):
 - Grades are cut to whole numbers (1.7 is 1) and scores that are no numbers are 0; a warning says so.
 - Gains that differ by less than 1 are not put in order: ndcg.1=0.2,2=0.5,3=0.9 is 0.
 - num_rel of all topics under -c counts grades from 1, whatever -l says.
 - iprec_at_recall and 11pt_avg of an empty ranking (-J) are -nan.
 - Rndcg is 0 for a topic without relevant documents at the level of -l.
 - 10: rbp divides the gains of each topic by that topic's own highest grade.
 - 10: rbp_resid is 0 where all retrieved documents are judged, as if the ranking had no tail.
 - 10: under -c a missing topic is a ranking of one unknown document; it shows in yaap, and where the name of utility,
   relstring or rbp_resid carries parameters.
 - Preferences: equal scores are ordered by document id ascending (elsewhere descending); assessors without preferences
   count as 0 in prefs_avgjg; in prefs_avgjg_Rnonrel a perfect ranking can have less than 1, and one assessor to whom
   nothing is relevant makes the topic 0; 9 compares levels in single precision.

rankscale evaluate computes the same measures, and more, under their usual names.
"""
