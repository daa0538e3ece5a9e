# The image of Berth. docs/deploying.md describes how to run it.
# POSTGRES=embedded has a PostgreSQL server, for one container. POSTGRES=external has none and needs DATABASE_URL.

FROM node:24-slim AS modules
WORKDIR /app
ARG POSTGRES=embedded
COPY . .
RUN --mount=type=cache,id=pnpm,target=/pnpm/store \
  case $POSTGRES in embedded) flags= ;; external) flags=--no-optional ;; *) exit 2 ;; esac; \
  npx --yes pnpm@12.21.0 install --store-dir=/pnpm/store --prod --frozen-lockfile --prefer-offline --filter-prod '@berth/api...' $flags
# The base image has Node. No page loads source maps, type declarations and the other builds of Swagger UI.
RUN rm -r node_modules/node node_modules/.bin node_modules/.pnpm/node@* && \
  find node_modules/.pnpm -name '*.map' -delete -o -name '*.d.[cm]ts' -delete -o -name '*.d.ts' -delete -o \
  -path '*/swagger-ui-dist/swagger-ui-es-bundle*.js' -delete

# The bundle of the server; the command line and the console, which it hands out.
FROM node:24-slim AS built
WORKDIR /app
COPY . .
RUN --mount=type=cache,id=pnpm,target=/pnpm/store \
  npx --yes pnpm@12.21.0 install --store-dir=/pnpm/store --prod --frozen-lockfile --prefer-offline \
  --filter-prod '@berth/server-bundle...' --filter-prod '@berth/cli...' --filter-prod '@berth/web...' && \
  node packages/server-bundle/src/build.ts && node packages/cli/build/package.ts && node apps/web/build/build.ts

FROM node:24-slim
LABEL org.opencontainers.image.title="Berth" \
  org.opencontainers.image.description="Publishes a folder of static files and returns a link to it." \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.source="https://code.berth.example/berth/berth" \
  org.opencontainers.image.documentation="https://code.berth.example/berth/berth/blob/HEAD/docs/deploying.md"
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 DATA_DIR=/data \
  MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 NODE_COMPILE_CACHE=/app/.compile-cache
WORKDIR /app
RUN install -d -o node -g node /data /app/.compile-cache && \
  ln -s /app/apps/api/dist/operator.cjs /usr/local/bin/berth-admin
COPY --from=modules /app ./
COPY --from=built /app/apps/api/dist ./apps/api/dist
COPY --from=built /app/packages/cli/dist ./packages/cli/dist
COPY --from=built /app/apps/web/dist ./apps/web/dist
USER node
# Fills the compile cache, which depends on the user and on the flags of Node.
RUN node --expose-gc --max-semi-space-size=4 --no-memory-reducer --no-maglev --eval \
  "for (const name of ['server', 'start-workers', 'run-worker']) require('/app/apps/api/dist/' + name + '.cjs')" && \
  berth-admin help >/dev/null
VOLUME /data
EXPOSE 4000
HEALTHCHECK --interval=15s --timeout=6s --start-period=60s \
  CMD ["node", "apps/api/src/healthcheck.js"]
CMD ["node", "--expose-gc", "--max-semi-space-size=4", "--no-memory-reducer", "--no-maglev", "apps/api/dist/main.cjs"]
