# rankscale with the report and the workbench, for those who want neither Python nor Rust on their machine:
#   docker build -t rankscale .        (after `make wheel`: the wheel in dist/ is installed)
#   docker run --rm -v "$PWD:/data" rankscale evaluate qrels.txt run.txt
FROM python:3.13.14-slim-trixie

COPY dist/*.whl /tmp/dist/
RUN pip install --no-cache-dir --no-index --no-deps --find-links /tmp/dist rankscale && rm -r /tmp/dist
RUN pip install --no-cache-dir "rankscale[workbench]"
RUN useradd --create-home --uid 1000 rankscale && mkdir /data && chown rankscale:rankscale /data

USER rankscale
WORKDIR /data
# Written once at the first figure otherwise, into a home that may be read-only.
RUN rankscale demo -o /tmp/demo.html && rm /tmp/demo.html
ENTRYPOINT ["rankscale"]
CMD ["--help"]
