/**
 * The documents that can be wrong by a machine's judgement: made pages, the worked example of the chain,
 * links and paths.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import type { RawEvent } from '#log/event-log';
import { ChainVerifier } from '#log/chain';
import { jsonOrText, StoredContent } from '#log/stored-content';
import { repositoryRoot } from '#local/launch/program';
import { FeedReads } from '#ledger/events-out/change-feed';
import { recoveryReads } from '#processes/ledger/account-recovery';
import { stepUpReads } from '#processes/ledger/confirmation-facts';
import { monthEndReads } from '#processes/ledger/month-end';
import { ownDataReads } from '#processes/ledger/own-data';
import { readers } from '#processes/ledger/reads';
import { Queryable } from '#projections/engine/read-model';
import { madePages } from './reference.js';

const root = repositoryRoot();
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The repository's prose. */
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(root, 'local/stand-ins')).map((name) => join('local/stand-ins', name, 'README.md')),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => join('docs', path)),
];

describe('a page that is made from the code', () => {
  it.each(Object.entries(madePages()))(
    '%s is what node dist/test/docs/write.js makes of the code now',
    (path, text) => expect(read(path)).toBe(text),
  );
});

describe('the prose', () => {
  it('links only to files that are there', () => {
    const dead = PAGES.flatMap((page) =>
      [...read(page).matchAll(/\]\((?!https?:)([^)#\s]+)[^)]*\)/g)]
        .map(([, target]) => resolve(root, dirname(page), target!))
        .filter((target) => !existsSync(target))
        .map((target) => `${page}: ${target}`),
    );
    expect(dead).toEqual([]);
  });

  it('names only source files that are there', () => {
    const dead = PAGES.flatMap((page) =>
      [
        ...read(page).matchAll(
          /`((?:contracts|log|edge|ledger|projections|workers|audit|processes|local|deploy|test|web|docs)\/[\w./-]+)`/g,
        ),
      ]
        .map(([, path]) => path!)
        .filter((path) => !existsSync(join(root, path)))
        .map((path) => `${page}: ${path}`),
    );
    expect(dead).toEqual([]);
  });
});

describe('CONTRIBUTING', () => {
  it('lists everything that commands read, and nothing else', () => {
    // Nothing is read here: the stores are only handed on to what would read them.
    const store = {} as never;
    const provided = [
      ...readers(store, store, store),
      ...recoveryReads(store, store),
      ...monthEndReads(store, undefined),
      ...stepUpReads(store, store, store),
      ownDataReads(store, store, store),
    ].map((provider) => (provider as { provide: { name: string } }).provide);
    const names = [...provided, FeedReads].filter((port) => port !== Queryable).map(({ name }) => name);
    const [, section = ''] = read('CONTRIBUTING.md').split('### What a command reads');
    const [table = ''] = section.split('\n## ');
    const listed = [...table.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell]) =>
      [...cell!.matchAll(/`(\w+)`/g)].map(([, name]) => name!),
    );
    expect(listed.toSorted()).toEqual(names.toSorted());
  });
});

const Example = z.array(
  z.object({
    stream: z.string(),
    revision: z.number(),
    id: z.string(),
    type: z.string(),
    data: z.string(),
    metadata: z.string(),
    hash: z.string(),
  }),
);

describe('the worked example of the hash chain', () => {
  const block = /```json\n([\s\S]+?)```/.exec(read('docs/reference/hash-chain.md'))?.[1] ?? '';
  const example = Example.parse(JSON.parse(block));

  it('follows from the page’s own words, bytes put together by hand', () => {
    let previous = Buffer.alloc(32);
    for (const { stream, revision, id, type, data, metadata, hash } of example) {
      const parts = [stream, String(revision), id, type, data, metadata].flatMap((text) => {
        const bytes = Buffer.from(text, 'utf8');
        const length = Buffer.alloc(4);
        length.writeUInt32BE(bytes.length);
        return [length, bytes];
      });
      previous = createHash('sha256')
        .update(Buffer.concat([previous, ...parts]))
        .digest();
      expect(previous.toString('base64url')).toBe(hash);
    }
    expect(example).toHaveLength(2);
  });

  it('is what the ledger’s own check takes', () => {
    const verifier = new ChainVerifier('journal');
    for (const { data, metadata, hash, ...link } of example) {
      const raw: RawEvent = {
        ...link,
        data: new StoredContent(Buffer.from(data), jsonOrText),
        metadata: new StoredContent(Buffer.from(`${metadata.slice(0, -1)},"hash":"${hash}"}`), jsonOrText),
        position: { commit: 0n, prepare: 0n },
        createdAt: new Date(0),
      };
      verifier.next(raw);
    }
    expect(verifier.hash).toBe(example.at(-1)?.hash);
  });
});
