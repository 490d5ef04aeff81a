# The image of `klaus serve`: docs/container.md says how it is started and what holds an agent inside it.
# BASE has Node 24 or newer with npm; on one with apt the other programs are installed, elsewhere they must be there.
ARG BASE=node:24-bookworm-slim

FROM ${BASE} AS build
WORKDIR /src
COPY . .
# A context that brings `dist` was built already; a clone never does (.dockerignore).
RUN if [ ! -f dist/klaus.cjs ]; then \
    npm ci --ignore-scripts --no-audit --no-fund --loglevel=error \
    && npm run build --workspaces --if-present && npm run build; \
  fi \
  && mkdir -p /out/node_modules && cp -R dist package.json LICENSE README.md /out/ \
  && cp -R node_modules/@vscode /out/node_modules/ && rm -rf node_modules

FROM ${BASE}
# Further packages, such as docker.io for the Docker sandbox: compose.docker.yaml.
ARG PACKAGES=
# git for checkpoints, bubblewrap for the sandbox, perl for masks of secret files that appear while a command runs.
RUN if command -v apt-get >/dev/null; then \
    apt-get update && apt-get install -y --no-install-recommends bubblewrap ca-certificates git perl ${PACKAGES} \
    && rm -rf /var/lib/apt/lists/*; \
  fi && bwrap --version && git --version && perl -e 1
# Whom the agent is: the owner of the files in the workspace, so that it can change them.
ARG UID=1000
ARG GID=1000
COPY --from=build /out /opt/klaus
# `true` for `klaus worker` and `klaus serve --cluster`, which need packages that an installation does not contain.
ARG CLUSTER=
# Further packages of a cluster, such as @kubernetes/client-node for a pod for each session.
ARG CLUSTER_PACKAGES=
RUN if [ -n "${CLUSTER}" ]; then \
    npm install --prefix /opt/klaus/dist --no-save --no-package-lock --no-audit --no-fund --loglevel=error \
      $(node /opt/klaus/dist/klaus.cjs worker --packages) ${CLUSTER_PACKAGES}; \
  fi
RUN ln -s /opt/klaus/dist/klaus.cjs /usr/local/bin/klaus \
  && mkdir -p /data /workspace /home/klaus \
  && chown "${UID}:${GID}" /data /workspace /home/klaus && chmod 700 /data
USER ${UID}:${GID}
# The last keeps the C library from holding on to what large outputs took: about 10 MB less for as long as it runs.
ENV KLAUS_HOME=/data AGENT_WORKSPACE=/workspace HOME=/home/klaus MALLOC_MMAP_THRESHOLD_=131072
WORKDIR /workspace
VOLUME /data
EXPOSE 3001
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "require('http').get('http://127.0.0.1:3001/health',(r)=>process.exit(r.statusCode===200?0:1)).on('error',()=>process.exit(1))"]
ENTRYPOINT ["klaus"]
CMD ["serve", "--host", "0.0.0.0"]
