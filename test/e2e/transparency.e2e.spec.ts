/**
 * The published tree on the real pieces: a payment gets a proof that needs nobody, an outsider checks the
 * heads over the web, and a ledger does not write on a log that is not what was signed.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { anchorFrom } from '#audit/transparency/anchor';
import { checkAnchors } from '#audit/transparency/check-anchors';
import { ReceiptProof } from '#contracts/api/receipt-proof';
import { EsdbLog } from '#log/esdb';
import { openJournalNote, signJournalNote } from '#log/transparency/checkpoint';
import { signerFrom } from '#log/transparency/note';
import { checkReceipt } from '#log/transparency/receipt';
import { useEvidence } from '#test/support/evidence';
import { CardProviderWorld } from '#test/support/payer';
import { json, Person } from '#test/support/person';
import { useStack } from '#test/support/stack';

const stack = useStack(['all', 'transparency'], {
  env: { TRANSPARENCY_EVERY_SECONDS: '0.2', LOG_LEVEL: 'error' },
});
const CLOSED = 'Payments and changes are closed for now, because records have to be put in order first.';
const address = (): string => `${stack().url}/transparency`;
const provider = new CardProviderWorld(stack);
const evidence = useEvidence(stack);
let juno: Person;
let milo: Person;

beforeAll(async () => {
  [juno, milo] = await Promise.all([Person.signUp(stack().url, 'Juno'), Person.signUp(stack().url, 'Milo')]);
});

async function tip(amount: string): Promise<string> {
  await provider.card((await milo.pay(juno.id, amount)).clientSecret);
  await provider.delivered();
  await evidence.shown();
  const [newest] = await milo.transactions();
  return newest!.id;
}

async function provenFor(
  person: Person,
  paymentId: string,
): Promise<Extract<ReceiptProof, { state: 'proven' }>> {
  for (;;) {
    const proof = ReceiptProof.parse(json(await person.get(`/api/transactions/${paymentId}/proof`)));
    if (proof.state === 'proven') return proof;
    expect(proof).toEqual({
      state: 'pending',
      message: 'The proof of this receipt follows within two minutes.',
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('the published tree', () => {
  it('proves a payment to both who have it in their list, with the key that anybody can read', async () => {
    const paymentId = await tip('20.00');
    const key = await (await fetch(`${address()}/verifier-key`)).text();
    for (const person of [juno, milo]) {
      const { file, checkUrl, leafHash, treeSize } = await provenFor(person, paymentId);
      expect(checkReceipt(file, key).size).toBe(treeSize);
      expect(file).toMatchObject({ transactionId: paymentId, leaf: leafHash, address: address() });
      expect(checkUrl).toBe(
        `${stack().url}/check-receipt#${Buffer.from(leafHash, 'base64').toString('base64url')}`,
      );
    }
    const nova = await Person.signUp(stack().url, 'Nova');
    expect((await nova.get(`/api/transactions/${paymentId}/proof`)).status).toBe(404);
    const page = await fetch(`${stack().url}/check-receipt`);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Check a receipt')]);
  });

  it('is the tree of the log, seen from outside', async () => {
    const log = EsdbLog.connect(stack().env.EVENTSTORE_URL!);
    const anchor = await anchorFrom(address());
    expect(await checkAnchors(log, [anchor])).toMatchObject({ findings: [] });
    await log.close();
    expect(
      (await evidence.run('processes/encore.js', 'audit', 'verify', '--events-only', '--anchor', address()))
        .status,
    ).toBe(0);
  });

  it('is looked at by a witness of its own, which refuses the tree of another key', async () => {
    const key = (await anchorFrom(address())).file.verifierKey;
    const look = (verifierKey: string) =>
      evidence.run(
        'processes/witness.js',
        ...[address(), '--key', verifierKey, '--name', 'witness.example/one'],
        ...['--state', join(stack().dataFolder, 'witness')],
      );
    const seen = {
      status: 0,
      out: expect.stringMatching(/events, which extend what was seen\.\n[^]*\n\u2014 witness\.example\/one /),
      err: '',
    };
    expect(await look(key)).toEqual(seen);
    expect(await look(key)).toEqual(seen);
    const other = signerFrom('localhost/transparency', '22'.repeat(32)).verifier.text;
    expect(await look(other)).toMatchObject({
      status: 1,
      out: expect.stringContaining('no signature of localhost/transparency'),
    });
  });

  it('keeps a ledger from writing on a log that ends before the signed note', async () => {
    await stack().part('transparency').stop();
    const folder = join(stack().dataFolder, 'transparency');
    const { TRANSPARENCY_KEY: secret } = JSON.parse(
      readFileSync(join(stack().dataFolder, 'secrets.json'), 'utf8'),
    ) as Record<string, string>;
    const signer = signerFrom('localhost/transparency', secret!);
    const note = openJournalNote(readFileSync(join(folder, 'journal'), 'utf8'), signer.verifier);
    const journal = { revision: note.journal!.revision + 3, hash: Buffer.alloc(32, 1).toString('base64url') };
    writeFileSync(join(folder, 'journal'), signJournalNote({ ...note, journal }, signer));
    await stack().part('ledger-1').restart();
    for (;;) {
      const answer = await milo.post('/api/create-payment-intent', { toUserId: juno.id, amount: '1.00' });
      if (answer.status === 503 && answer.text.includes(CLOSED)) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const { rows } = await evidence.db.query<{ reason: string; known_from: string }>(
      'select reason, known_from from edge.log_recovery',
    );
    expect(rows).toEqual([
      {
        known_from: 'anchor',
        reason: expect.stringMatching(
          new RegExp(
            `^The signed note of where the journal ended has revision ${journal.revision} of journal, and there the log ends at revision \\d+\\.$`,
          ),
        ),
      },
    ]);
  });
});
