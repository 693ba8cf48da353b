// Certificates as they are checked, and a pass as openssl sees it. The authority is the local stack's own.
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GeneratePass, GenerateQrPass } from '#contracts/api/passes';
import { ownQrContent } from '#contracts/plain/qr-content';
import { configurationFrom } from '#test/support/configuration';
import { makePassAuthority, PASS_TYPE_ID, passSettings, TEAM_ID } from '#local/passes/authority';
import { filesIn, passIn, unlisted, verifySignature } from '#test/support/pkpass';
import { PASS_SETTINGS, passCertificates, passesOff } from './pass-certificates.js';
import { passFile } from './pass-file.js';
import { passImages } from './pass-images.js';

const folder = mkdtempSync(join(tmpdir(), 'encore-passes-'));
const NAMES = ['NODE_ENV', ...PASS_SETTINGS] as const;
const HOME = 'https://encore.example';
const juno = { id: 'usr_juno', username: 'juno ♪' };
let env: Record<string, string>;
let other: Record<string, string>;

beforeAll(async () => {
  const [own, others] = [join(folder, 'own'), join(folder, 'others')];
  await Promise.all([makePassAuthority(own), makePassAuthority(own), makePassAuthority(others)]);
  [env, other] = [passSettings(own), passSettings(others)];
});
afterAll(() => rmSync(folder, { recursive: true }));

const settings = (changes: Record<string, string | undefined> = {}) =>
  configurationFrom(NAMES, { NODE_ENV: 'test', ...env, ...changes }, (path) => readFileSync(path, 'utf8'));
const checked = (changes?: Record<string, string | undefined>) => passCertificates(settings(changes));
const good = () => checked()!;

describe('the certificates for passes', () => {
  it('are taken when they fit together, the same ones at every start', async () => {
    expect(good()).toMatchObject({ passTypeId: PASS_TYPE_ID, teamId: TEAM_ID });
    const before = readFileSync(env['APPLE_PASS_KEY_FILE']!, 'utf8');
    await makePassAuthority(join(folder, 'own'));
    expect(readFileSync(env['APPLE_PASS_KEY_FILE']!, 'utf8')).toBe(before);
  });

  it('are none where none is set', () => {
    expect(passCertificates(configurationFrom(NAMES, {}, () => ''))).toBeUndefined();
  });

  it('may have a locked key', () => {
    const key = createPrivateKey(readFileSync(env['APPLE_PASS_KEY_FILE']!, 'utf8'));
    const APPLE_PASS_KEY = key
      .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'open' })
      .toString();
    expect(checked({ APPLE_PASS_KEY, APPLE_PASS_KEY_PASSPHRASE: 'open' })?.keyPem).toBe(good().keyPem);
    expect(() => checked({ APPLE_PASS_KEY })).toThrow('it needs APPLE_PASS_KEY_PASSPHRASE');
    expect(() => checked({ APPLE_PASS_KEY, APPLE_PASS_KEY_PASSPHRASE: 'shut' })).toThrow(
      'APPLE_PASS_KEY_PASSPHRASE is wrong',
    );
  });

  const otherKey = (): string =>
    generateKeyPairSync('rsa', { modulusLength: 2048 })
      .privateKey.export({ type: 'pkcs8', format: 'pem' })
      .toString();
  const curve = (): string =>
    generateKeyPairSync('ec', { namedCurve: 'P-256' })
      .privateKey.export({ type: 'pkcs8', format: 'pem' })
      .toString();
  it.each<[string, () => Record<string, string | undefined>, string]>([
    [
      'one of them is missing',
      () => ({ APPLE_TEAM_ID: undefined }),
      'APPLE_TEAM_ID is not set: Apple Wallet passes need all of',
    ],
    [
      'the certificate is none',
      () => ({ APPLE_PASS_CERTIFICATE: '-----BEGIN CERTIFICATE-----\nx' }),
      'APPLE_PASS_CERTIFICATE is not a certificate in PEM form.',
    ],
    [
      'the key is none',
      () => ({ APPLE_PASS_KEY: '-----BEGIN PRIVATE KEY-----\nx' }),
      'APPLE_PASS_KEY cannot be opened',
    ],
    ['the key is of another kind', () => ({ APPLE_PASS_KEY: curve() }), 'APPLE_PASS_KEY is not an RSA key'],
    [
      'the key is another one’s',
      () => ({ APPLE_PASS_KEY: otherKey() }),
      'APPLE_PASS_KEY is not the key of APPLE_PASS_CERTIFICATE.',
    ],
    [
      'the pass type differs',
      () => ({ APPLE_PASS_TYPE_ID: 'pass.other' }),
      `is for the pass type ${PASS_TYPE_ID}, and APPLE_PASS_TYPE_ID says pass.other.`,
    ],
    [
      'the team differs',
      () => ({ APPLE_TEAM_ID: 'ABCDE12345' }),
      `is of the team ${TEAM_ID}, and APPLE_TEAM_ID says ABCDE12345.`,
    ],
    [
      'another authority issued it',
      () => ({ APPLE_WWDR_CERTIFICATE_FILE: other['APPLE_WWDR_CERTIFICATE_FILE'] }),
      'APPLE_WWDR_CERTIFICATE is not the one that issued',
    ],
    ['it is the local one, in production', () => ({ NODE_ENV: 'production' }), 'production needs Apple’s'],
  ])('are refused with one sentence when %s', (_, changes, sentence) => {
    expect(() => checked(changes())).toThrow(sentence);
  });

  it.each([
    [
      'has ended',
      '2045-01-01',
      /^No Apple Wallet passes are made: their certificate has ended on .* Renew it/,
    ],
    ['is not valid yet', '2020-01-01', /^No Apple Wallet passes are made: .* is not valid before/],
  ])('switch passes off, and stop no start, when one %s', (_, day, sentence) => {
    expect(passesOff(good(), new Date(day))).toMatch(sentence);
    expect(passesOff(good(), new Date())).toBeUndefined();
  });
});

describe('a pass', () => {
  it('is signed so that openssl takes it, by its own authority only, and not once anything is changed', () => {
    const certificates = good();
    const files = filesIn(
      passFile(HOME, { payee: juno, amountMinor: 2050, description: 'Great set' }, certificates),
    );
    expect([...files.keys()].sort()).toEqual(
      ['pass.json', 'manifest.json', 'signature', ...Object.keys(passImages())].sort(),
    );
    expect(unlisted(files)).toEqual([]);
    expect(verifySignature(files, certificates.wwdrPem)).toBe(files.get('manifest.json')?.toString());
    expect(() => verifySignature(files, readFileSync(other['APPLE_WWDR_CERTIFICATE_FILE']!, 'utf8'))).toThrow(
      /verif/i,
    );
    const changed = new Map(files).set('manifest.json', Buffer.from('{}'));
    expect(() => verifySignature(changed, certificates.wwdrPem)).toThrow(/verif|digest/i);
    expect(unlisted(new Map(files).set('icon.png', Buffer.from('x')))).toEqual(['icon.png']);
  });

  it('for an amount leads any camera to the payment', () => {
    const files = filesIn(
      passFile(HOME, { payee: juno, amountMinor: 1_234_567_89, description: 'Great & loud' }, good()),
    );
    expect(passIn(files)).toMatchObject({
      formatVersion: 1,
      passTypeIdentifier: PASS_TYPE_ID,
      teamIdentifier: TEAM_ID,
      generic: {
        primaryFields: [{ value: '$1,234,567.89' }],
        secondaryFields: [{ value: juno.username }],
        auxiliaryFields: [{ value: 'Great & loud' }],
      },
      barcodes: [
        {
          format: 'PKBarcodeFormatQR',
          message: 'https://encore.example/tip/usr_juno?amount=1234567.89&description=Great+%26+loud',
          messageEncoding: 'utf-8',
        },
      ],
    });
  });

  it('for any amount is the person’s own code', () => {
    const files = filesIn(passFile(HOME, { payee: juno, amountMinor: undefined }, good()));
    expect(passIn(files)).toMatchObject({
      generic: { primaryFields: [{ value: 'Any amount' }], auxiliaryFields: [] },
      barcodes: [{ message: ownQrContent(juno) }],
    });
    expect(JSON.parse(ownQrContent(juno))).toEqual({
      userId: 'usr_juno',
      username: 'juno ♪',
      type: 'encore_payment',
    });
  });

  it('for any amount leads any camera to the tip page, where one is published', () => {
    const payee = { ...juno, tipPage: '/@juno' };
    expect(passIn(filesIn(passFile(HOME, { payee, amountMinor: undefined }, good())))).toMatchObject({
      barcodes: [{ message: 'https://encore.example/@juno' }],
    });
  });

  it('is the same pass when it is asked for again, and another one for another amount', () => {
    const serial = (amountMinor: number) =>
      (passIn(filesIn(passFile(HOME, { payee: juno, amountMinor }, good()))) as { serialNumber: string })
        .serialNumber;
    expect(serial(100)).toBe(serial(100));
    expect(serial(100)).not.toBe(serial(101));
  });

  it('has the sign on velvet in the sizes of phones', () => {
    const images = passImages();
    const sides = Object.entries(images).map(([name, bytes]) => [
      name,
      bytes.readUInt32BE(16),
      bytes.readUInt32BE(20),
    ]);
    expect(sides).toEqual([
      ['icon.png', 29, 29],
      ['icon@2x.png', 58, 58],
      ['icon@3x.png', 87, 87],
      ['logo.png', 50, 50],
      ['logo@2x.png', 100, 100],
      ['logo@3x.png', 150, 150],
    ]);
    const rows = (name: string): Buffer => {
      const bytes = images[name]!;
      return inflateSync(bytes.subarray(41, 41 + bytes.readUInt32BE(33)));
    };
    const pixel = (name: string, side: number, x: number, y: number): number[] => {
      const at = y * (1 + side * 4) + 1 + x * 4;
      return [...rows(name).subarray(at, at + 4)];
    };
    expect(pixel('icon@3x.png', 87, 1, 1)).toEqual([0x4a, 0x0d, 0x20, 255]);
    expect(pixel('logo@3x.png', 150, 114, 75)).toEqual([0xff, 0xf4, 0xe0, 255]);
    expect(pixel('logo@3x.png', 150, 27, 54)).toEqual([0xff, 0xbe, 0x3d, 255]);
    expect(pixel('logo@3x.png', 150, 2, 2)).toEqual([0, 0, 0, 0]);
  });
});

describe('what a pass is asked with', () => {
  it.each([
    [undefined, undefined],
    [null, undefined],
    ['', undefined],
    [' ', undefined],
    [0, undefined],
    ['0.00', undefined],
    [20, 2000],
    ['12.5', 1250],
  ])('reads the amount %j as %j', (amount, minor) =>
    expect(GenerateQrPass.parse({ amount })).toEqual({ amount: minor }),
  );

  it.each([
    [-1, 'Please enter a valid amount greater than 0.'],
    ['0.49', 'The smallest payment is $0.50.'],
    ['1.234', 'An amount has at most two decimals, such as 12.50.'],
    [{}, 'The amount must be a plain number of dollars, such as 20 or 12.50.'],
  ])('refuses the amount %j', (amount, sentence) =>
    expect(GenerateQrPass.safeParse({ amount }).error?.issues[0]?.message).toBe(sentence),
  );

  it('takes a description of a line', () => {
    expect(GeneratePass.parse({ userId: ' usr_a ', amount: '5', description: ' For the band ' })).toEqual({
      userId: 'usr_a',
      amount: 500,
      description: 'For the band',
    });
    expect(GeneratePass.safeParse({ description: 'x'.repeat(141) }).error?.issues[0]?.message).toBe(
      'A pass’s description has at most 140 characters.',
    );
  });
});
