/** As much of DER (X.690) as a certificate needs. */

const tagged = (tag: number, ...contents: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size =
    length < 0x80
      ? [length]
      : length < 0x100
        ? [0x81, length]
        : length < 0x1_0000
          ? [0x82, length >> 8, length & 0xff]
          : undefined;
  if (!size) throw new RangeError('Longer than a certificate gets.');
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
};

export const sequence = (...items: readonly Buffer[]): Buffer => tagged(0x30, ...items);
export const set = (...items: readonly Buffer[]): Buffer => tagged(0x31, ...items);
export const bool = (value: boolean): Buffer => tagged(0x01, Buffer.from([value ? 0xff : 0]));
/** A whole number that is not negative, as big-endian bytes. */
export const integer = (bytes: Buffer): Buffer =>
  tagged(0x02, bytes[0]! & 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
export const bitString = (bytes: Buffer, unusedBits = 0): Buffer =>
  tagged(0x03, Buffer.from([unusedBits]), bytes);
export const octetString = (bytes: Buffer): Buffer => tagged(0x04, bytes);
export const nothing = (): Buffer => tagged(0x05);
export const text = (value: string): Buffer => tagged(0x0c, Buffer.from(value, 'utf8'));
/** An explicitly tagged part, `[number]`. */
export const explicit = (number: number, ...items: readonly Buffer[]): Buffer =>
  tagged(0xa0 + number, ...items);

/** A moment before 2050, to the second. */
export const utcTime = (at: Date): Buffer =>
  tagged(0x17, Buffer.from(`${at.toISOString().slice(2, 19).replaceAll(/[-T:]/g, '')}Z`, 'latin1'));

/** An object identifier, written with dots. */
export function identifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second, ...rest].flatMap((arc) => {
    const groups = [arc & 0x7f];
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128))
      groups.unshift((left & 0x7f) | 0x80);
    return groups;
  });
  return tagged(0x06, Buffer.from(bytes));
}

/** In the form in which certificates and keys are passed around as text. */
export const pem = (label: string, der: Buffer): string =>
  `-----BEGIN ${label}-----\n${der.toString('base64').replaceAll(/(.{64})(?=.)/g, '$1\n')}\n-----END ${label}-----\n`;
