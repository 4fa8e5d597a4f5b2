"""One script a peer, each as its documentation would have a good user write it: `SCRIPT QRELS OUT RUN...`.

Each reads the qrels once where the tool can, evaluates every run and writes the 32 values of every topic as
text. They stand alone on purpose: what is timed is the peer, not this package.
"""
