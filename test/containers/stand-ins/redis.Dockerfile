# Stands in for the official image of Redis.
FROM encore-standin/debian
RUN apt-get update -qq && apt-get install -qq -y --no-install-recommends redis-server >/dev/null \
  && rm -rf /var/lib/apt/lists/* && mkdir -p /data && chown redis:redis /data
WORKDIR /data
USER redis
EXPOSE 6379
CMD ["redis-server", "--protected-mode", "no"]
