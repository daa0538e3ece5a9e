FROM node:24-slim AS build
WORKDIR /app
COPY pnpm-lock.yaml pnpm-workspace.yaml ./
RUN npx --yes pnpm@12.21.0 fetch --prod
COPY . .
RUN npx --yes pnpm@12.21.0 install --prod --offline --frozen-lockfile --filter '@berth/api...'

FROM node:24-slim AS cli
WORKDIR /app
COPY . .
RUN npx --yes pnpm@12.21.0 install --frozen-lockfile --filter '@berth/cli...' && node packages/cli/build/package.ts

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 DATA_DIR=/data MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072
RUN install -d -o node -g node /data
WORKDIR /app
COPY --from=build /app ./
COPY --from=cli /app/packages/cli/dist ./packages/cli/dist
USER node
VOLUME /data
EXPOSE 4000
HEALTHCHECK --interval=15s --timeout=6s --start-period=60s --start-interval=1s \
  CMD ["node", "apps/api/src/healthcheck.ts"]
CMD ["node", "--expose-gc", "--max-semi-space-size=4", "apps/api/src/main.ts"]
