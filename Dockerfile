# One image for all of Writ's processes: `docker build --tag writ:0.1.0 .`. docs/containers.md says how to run it.
# The first stage builds, from locked wheels alone; the second has Python and Writ, and neither pip's cache nor a compiler.

FROM python:3.11.15-slim-trixie AS build
# For a mirror: `--build-arg PIP_INDEX_URL=...`. The hashes are checked all the same.
ARG PIP_INDEX_URL
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
WORKDIR /build
COPY requirements.txt requirements-build.txt ./
RUN python -m venv --without-pip /opt/writ \
 && pip --python /opt/writ/bin/python install --only-binary :all: --require-hashes --requirement requirements.txt \
 && pip install --only-binary :all: --require-hashes --requirement requirements-build.txt
COPY pyproject.toml README.md ./
COPY engine engine
COPY service service
COPY workers workers
COPY templates templates
COPY translations translations
COPY migrations migrations
RUN python -m hatchling build --target wheel --directory dist \
 && pip --python /opt/writ/bin/python install --no-index --no-deps dist/*.whl

FROM python:3.11.15-slim-trixie
RUN groupadd --gid 10001 writ \
 && useradd --uid 10001 --gid writ --no-create-home --no-log-init --home-dir /data --shell /usr/sbin/nologin writ \
 && install --directory --owner writ --group writ --mode 0700 /data
COPY --from=build /opt/writ /opt/writ
COPY deploy/healthcheck.py /opt/writ/healthcheck.py
# The root file system may be read-only: modules were compiled when they were installed, and data has a volume.
ENV PATH=/opt/writ/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 WRIT_DATA_FOLDER=/data
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=8s --start-period=60s --retries=3 \
    CMD ["python", "-I", "/opt/writ/healthcheck.py", "http://127.0.0.1:8080/healthz"]
ENTRYPOINT ["writ"]
CMD ["web", "--host", "0.0.0.0"]
