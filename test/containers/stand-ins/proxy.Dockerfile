# Stands in for the official image of HAProxy.
FROM encore-standin/debian
RUN apt-get update -qq && apt-get install -qq -y --no-install-recommends haproxy wget >/dev/null && rm -rf /var/lib/apt/lists/*
USER haproxy
STOPSIGNAL SIGUSR1
CMD ["haproxy", "-W", "-db", "-f", "/usr/local/etc/haproxy/haproxy.cfg"]
