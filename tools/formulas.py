"""The formulas of measures as LaTeX, which become MathML when the site is built: browsers draw it without a script.

A measure that is not listed here has its formula in words on its page, as the others have, too. `rel_i` is 1 where the
document at rank i is relevant, `g_i` its gain, `RB` the recall base, `k` the depth.
"""

RELEVANT = r"\mathrm{rel}_i"
RETRIEVED = rf"\sum_{{i=1}}^{{k}}{RELEVANT}"
PRECISION = r"\frac{1}{i}\sum_{j=1}^{i}\mathrm{rel}_j"
DISCOUNTED = r"\sum_{i=1}^{k}\frac{g_i}{\log_2(i+1)}"
BY_BASE = r"\sum_{i=1}^{k}\frac{g_i}{\max(1,\log_b i)}"
STOPS = r"R_i=\frac{2^{g_i}-1}{2^{g_{\max}}}"
FULL = r"^{\mathrm{full}}"

FORMULAS: dict[str, str] = {
    "AP": rf"\mathrm{{AP@}}k=\frac{{1}}{{RB}}\sum_{{i=1}}^{{k}}{RELEVANT}\cdot{PRECISION}",
    "AP11": r"\mathrm{AP11}=\frac{1}{11}\sum_{l=0}^{10}\mathrm{IPrec@}\frac{l}{10}",
    "APstar": rf"\mathrm{{AP}}^{{*}}=\frac{{1}}{{{RETRIEVED}}}\sum_{{i=1}}^{{k}}{RELEVANT}\cdot{PRECISION}",
    "ASL": rf"\mathrm{{ASL}}=\frac{{\sum_{{i=1}}^{{k}}i\cdot{RELEVANT}}}{{\sum_{{i=1}}^{{k}}{RELEVANT}}}",
    "AvgPos": r"\mathrm{AvgPos}(M)\mathrm{@}k=\frac{1}{k}\sum_{i=1}^{k}M\mathrm{@}i",
    "Bpref": r"\mathrm{Bpref}=\frac{1}{RB}\sum_{d\ \mathrm{relevant}}\left(1-\frac{\min(n_d,RB)}{\min(N,RB)}\right)",
    "CG": r"\mathrm{CG@}k=\sum_{i=1}^{k}g_i",
    "CRP": r"\mathrm{CRP@}k=\sum_{j=1}^{k}\mathrm{RP}[j]",
    "DCG": rf"\mathrm{{DCG@}}k={DISCOUNTED}\qquad\mathrm{{DCG}}(b)\mathrm{{@}}k={BY_BASE}",
    "ERR": r"\mathrm{ERR@}k=\sum_{i=1}^{k}\frac{R_i}{i}\prod_{j=1}^{i-1}(1-R_j)\qquad " + STOPS,
    "F": r"F_{\beta}\mathrm{@}k=\frac{(1+\beta^2)\,P\,R}{\beta^2P+R}",
    "GMAP": r"\mathrm{GMAP}=\exp\left(\frac{1}{n}\sum_{t=1}^{n}\ln\max(\mathrm{AP}_t,10^{-5})\right)",
    "gP": r"\mathrm{gP@}k=\frac{1}{k}\sum_{i=1}^{k}g_i",
    "gRBP": r"\mathrm{gRBP}=(1-p)\sum_{i=1}^{k}\frac{\mathrm{grade}_i}{g_{\max}}\,p^{i-1}",
    "Interval": r"\mathrm{Interval}(M\mathrm{@}k)=\frac{\varphi-1}{K-1}",
    "nCG": r"\mathrm{nCG@}k=\frac{\mathrm{CG@}k}{\mathrm{CG@}k^{\mathrm{ideal}}}",
    "nDCG": r"\mathrm{nDCG@}k=\frac{\mathrm{DCG@}k}{\mathrm{DCG@}k^{\mathrm{ideal}}}",
    "P": rf"P\mathrm{{@}}k=\frac{{1}}{{k}}\sum_{{i=1}}^{{k}}{RELEVANT}",
    "R": rf"R\mathrm{{@}}k=\frac{{1}}{{RB}}\sum_{{i=1}}^{{k}}{RELEVANT}",
    "RelP": rf"\mathrm{{RelP@}}k=\frac{{1}}{{\min(k,RB)}}\sum_{{i=1}}^{{k}}{RELEVANT}",
    "Rprec": rf"\mathrm{{Rprec}}=\frac{{1}}{{RB}}\sum_{{i=1}}^{{RB}}{RELEVANT}",
    "RBP": rf"\mathrm{{RBP}}=(1-p)\sum_{{i=1}}^{{k}}{RELEVANT}\,p^{{i-1}}",
    "RR": r"\mathrm{RR}=\frac{1}{\min\{i:\mathrm{rel}_i=1\}}",
    "rho": r"\rho=\frac{RB}{\mathrm{balance}}",
    "SDCG": rf"\mathrm{{SDCG@}}k=\frac{{{DISCOUNTED}}}{{\sum_{{i=1}}^{{k}}\frac{{1}}{{\log_2(i+1)}}}}",
    "SetF": r"F_{\beta}=\frac{(1+\beta^2)\,P\,R}{\beta^2P+R}",
    "sigma": r"\sigma=\frac{2\,\sigma_{+}\,\sigma_{-}}{\sigma_{+}+\sigma_{-}}",
    "sigma_minus": rf"\sigma_{{-}}=1-\frac{{s_{{-}}}}{{s_{{-}}{FULL}}}",
    "sigma_plus": rf"\sigma_{{+}}=1-\frac{{s_{{+}}}}{{s_{{+}}{FULL}}}",
    "SP": rf"\mathrm{{SP@}}k=\sum_{{i=1}}^{{k}}{RELEVANT}\cdot{PRECISION}",
    "Twist": r"\tau=\frac{\rho+\sigma}{2}",
}


def mathml(name: str) -> str:
    """The formula of a measure as MathML; empty where there is none."""
    from latex2mathml.converter import convert  # absent where no site is built

    if name not in FORMULAS:
        return ""
    return convert(FORMULAS[name], display="block").replace("\n", "")
