/** Empty databases in a cluster that runs, for specs and measurements. */
import pg from 'pg';

let made = 0;

/**
 * Makes an empty database in the cluster that `url` points into, in its locale unless told, and returns its
 * URL.
 */
export async function freshDatabase(url: string, locale = ''): Promise<string> {
  const name = `spec_${process.pid}_${(made += 1)}`;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(
      `create database ${name} ${locale === '' ? '' : `template template0 encoding 'UTF8' ${locale}`}`,
    );
  } finally {
    await client.end();
  }
  const fresh = new URL(url);
  fresh.pathname = `/${name}`;
  return fresh.href;
}
