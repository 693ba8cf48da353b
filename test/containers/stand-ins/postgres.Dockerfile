# Stands in for the official image of Postgres, as far as docker-compose.yml and the suites use it.
FROM encore-standin/debian
RUN apt-get update -qq && apt-get install -qq -y --no-install-recommends postgresql postgresql-client >/dev/null \
  && rm -rf /var/lib/apt/lists/* /var/lib/postgresql/* \
  && ln -s /usr/lib/postgresql/*/bin/* /usr/local/bin/ \
  && mkdir -p /var/lib/postgresql/data && chown -R postgres:postgres /var/lib/postgresql \
  && chmod 1777 /var/run/postgresql
COPY postgres-entrypoint.sh /usr/local/bin/docker-entrypoint.sh
ENV PGDATA=/var/lib/postgresql/data LANG=C.UTF-8
USER postgres
STOPSIGNAL SIGINT
EXPOSE 5432
ENTRYPOINT ["sh", "/usr/local/bin/docker-entrypoint.sh"]
CMD ["postgres"]
