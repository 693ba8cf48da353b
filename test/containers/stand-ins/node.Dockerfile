# Stands in for the official image of Node.js: the same program and npm at the same places, and a user 1000.
FROM encore-standin/debian
RUN apt-get update -qq && apt-get install -qq -y --no-install-recommends libstdc++6 >/dev/null \
  && rm -rf /var/lib/apt/lists/* && useradd --uid 1000 --create-home node
COPY node /usr/local/bin/node
COPY lib/npm /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
CMD ["node"]
