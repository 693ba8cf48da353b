/**
 * A file of places in MaxMind's form with one IPv4 network in it, for specs: a search tree of one node a bit,
 * the data behind it, and what the file says of itself (https://maxmind.github.io/MaxMind-DB/).
 */
const NODE_BYTES = 6;
const SEPARATOR = Buffer.alloc(16);
const MARK = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');

type Value = string | number | readonly Value[] | { readonly [name: string]: Value };

const control = (type: number, size: number): Buffer =>
  type > 7 ? Buffer.from([size, type - 7]) : Buffer.from([(type << 5) | size]);

/** A value as the file holds it. Texts and lists here have fewer than 29 parts. */
function encoded(value: Value): Buffer {
  if (typeof value === 'string')
    return Buffer.concat([control(2, Buffer.byteLength(value)), Buffer.from(value)]);
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return Buffer.concat([control(6, 4), bytes]);
  }
  if (Array.isArray(value)) return Buffer.concat([control(11, value.length), ...value.map(encoded)]);
  const fields = Object.entries(value);
  return Buffer.concat([
    control(7, fields.length),
    ...fields.flatMap(([name, of]) => [encoded(name), encoded(of)]),
  ]);
}

/** The file's bytes: `address`/`prefix` is in `city` of `country`, and nothing else is anywhere. */
export function placesFile(address: string, prefix: number, city: string, country: string): Buffer {
  const bits = address
    .split('.')
    .map((part) => Number(part).toString(2).padStart(8, '0'))
    .join('')
    .slice(0, prefix);
  const tree = Buffer.alloc(prefix * NODE_BYTES);
  const isNowhere = prefix;
  for (const [node, bit] of [...bits].entries()) {
    const next = node + 1 < prefix ? node + 1 : prefix + SEPARATOR.length;
    tree.writeUIntBE(bit === '0' ? next : isNowhere, node * NODE_BYTES, 3);
    tree.writeUIntBE(bit === '0' ? isNowhere : next, node * NODE_BYTES + 3, 3);
  }
  const data = encoded({ city: { names: { en: city } }, country: { names: { en: country } } });
  const about = encoded({
    node_count: prefix,
    record_size: 24,
    ip_version: 4,
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_700_000_000,
    database_type: 'Spec-City',
    languages: ['en'],
    description: { en: 'One network' },
  });
  return Buffer.concat([tree, SEPARATOR, data, MARK, about]);
}
