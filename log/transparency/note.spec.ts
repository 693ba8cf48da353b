/** Signed notes, checkpoints and cosignatures: the encodings of C2SP, and everything that must be refused. */
import { describe, expect, it } from '@jest/globals';
import {
  checkpointFrom,
  openCheckpoint,
  openJournalNote,
  signCheckpoint,
  signJournalNote,
} from './checkpoint.js';
import {
  cosignature,
  NoteRefused,
  openNote,
  parseNote,
  signedNote,
  signerFrom,
  verifierFrom,
} from './note.js';

const SEED = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60';
const log = signerFrom('encore.example/transparency', SEED);
const witness = signerFrom('witness.example/one', SEED.replaceAll('9', '8'), 'witness');
const root = Buffer.alloc(32, 7);

describe('a signed note', () => {
  it('is signed by the key of RFC 8032, whose public key the verifier key holds', () => {
    const [, , typed = ''] = /^([^+]+\+[0-9a-f]{8})\+(.+)$/.exec(log.verifier.text) ?? [];
    expect(Buffer.from(typed, 'base64').toString('hex')).toBe(
      '01d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    );
    expect(verifierFrom(log.verifier.text)).toMatchObject({
      name: 'encore.example/transparency',
      text: log.verifier.text,
    });
  });

  it('verifies the example of Go’s package note', () => {
    const verifier = verifierFrom('PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW');
    const text =
      "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
    const note = `${text}\n\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n`;
    expect(openNote(note, verifier).text).toBe(text);
  });

  it('is refused once its text, its key or its signature is another', () => {
    const note = signedNote('one\ntwo\n', log);
    expect(openNote(note, log.verifier)).toEqual({ text: 'one\ntwo\n' });
    expect(() => openNote(note.replace('two', 'too'), log.verifier)).toThrow(
      /signature of encore.example.* does not hold/,
    );
    expect(() =>
      openNote(note, signerFrom('encore.example/transparency', SEED.replaceAll('9', '7')).verifier),
    ).toThrow(/no signature of encore.example\/transparency with this key/);
    for (const bad of [
      '',
      'one\n',
      'one\n\ntwo\n',
      note.slice(0, -1),
      note.replace('\n\n', '\n'),
      `\u0000${note}`,
    ])
      expect(() => parseNote(bad)).toThrow(NoteRefused);
    expect(() => verifierFrom(log.verifier.text.replace('transparency', 'transparencx'))).toThrow(
      /is damaged/,
    );
    expect(() => signerFrom('two words', SEED)).toThrow(/cannot name a key/);
    expect(() => signerFrom('name', 'abc')).toThrow(/64 hexadecimal digits/);
  });
});

describe('a checkpoint', () => {
  const head = { origin: 'encore.example/transparency', size: 20, root };

  it('says a tree’s name, size and root', () => {
    expect(openCheckpoint(signCheckpoint(head, log), log.verifier)).toEqual(head);
    for (const text of [
      '',
      'a\n01\nAA==\n',
      `a\n1\n${root.toString('base64').slice(0, -2)}\n`,
      `\n1\n${root.toString('base64')}\n`,
    ])
      expect(() => checkpointFrom(text)).toThrow(NoteRefused);
  });

  it('may carry a witness’ signature, which says when it was seen', () => {
    const signed = signCheckpoint(head, log);
    const { text } = parseNote(signed);
    const both = signed + cosignature(text, witness, 1_700_000_000);
    expect(openNote(both, log.verifier)).toEqual({ text });
    expect(openNote(both, witness.verifier)).toEqual({ text, cosignedAt: new Date(1_700_000_000_000) });
    expect(() => openNote(both.replace('\n20\n', '\n21\n'), witness.verifier)).toThrow(/does not hold/);
  });
});

describe('the note of where the journal ended', () => {
  const note = { origin: 'encore.example/transparency', size: 20, signedAt: new Date(1_700_000_000_123) };

  it('says the last entry, or that there is none', () => {
    const full = { ...note, journal: { revision: 11, hash: Buffer.alloc(32, 9).toString('base64url') } };
    expect(openJournalNote(signJournalNote(full, log), log.verifier)).toEqual(full);
    const empty = { ...note, journal: undefined };
    expect(openJournalNote(signJournalNote(empty, log), log.verifier)).toEqual(empty);
  });

  it('is no checkpoint, and a checkpoint is no such note', () => {
    const signed = signCheckpoint({ origin: note.origin, size: 20, root }, log);
    expect(() => openJournalNote(signed, log.verifier)).toThrow(NoteRefused);
    expect(() => openCheckpoint(signJournalNote({ ...note, journal: undefined }, log), log.verifier)).toThrow(
      NoteRefused,
    );
  });
});
