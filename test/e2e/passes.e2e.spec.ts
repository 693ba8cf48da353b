/** Apple Wallet passes over HTTP: the file as a browser downloads it, signed by the stack's own authority. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ownQrContent } from '#contracts/plain/qr-content';
import { Person, refusal } from '#test/support/person';
import { filesIn, passIn, unlisted, verifySignature } from '#test/support/pkpass';
import { useStack } from '#test/support/stack';

const stack = useStack(['postgres', 'eventstore', 'identity', 'front', 'projections', 'ledgers']);
let juno: Person;
let milo: Person;
beforeAll(async () => {
  [juno, milo] = await Promise.all([Person.signUp(stack().url, 'Juno'), Person.signUp(stack().url, 'Milo')]);
});

async function download(name: string, body: object) {
  const answer = await fetch(`${stack().url}/api/apple-wallet/${name}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      origin: stack().url,
      cookie: await juno.jar.getCookieString(stack().url),
    },
    body: JSON.stringify(body),
  });
  const { status, headers } = answer;
  const files = filesIn(Buffer.from(await answer.arrayBuffer()));
  return { status, type: headers.get('content-type'), as: headers.get('content-disposition'), files };
}
const authority = (): string => readFileSync(join(stack().dataFolder, 'passes', 'authority.pem'), 'utf8');

describe('a wallet pass', () => {
  it('to pay somebody is a signed file of a fixed name', async () => {
    const pass = await download('generate-pass', {
      userId: milo.id,
      amount: '20.50',
      description: 'Great set',
    });
    expect(pass).toMatchObject({
      status: 200,
      type: 'application/vnd.apple.pkpass',
      as: 'attachment; filename="encore-payment.pkpass"',
    });
    expect(unlisted(pass.files)).toEqual([]);
    expect(verifySignature(pass.files, authority())).toContain('pass.json');
    expect(passIn(pass.files)).toMatchObject({
      generic: { secondaryFields: [{ value: milo.username }] },
      barcodes: [{ message: `${stack().url}/tip/${milo.id}?amount=20.50&description=Great+set` }],
    });
  });

  it('with one’s own code is for any amount, or for one', async () => {
    const open = await download('generate-qr-pass', { amount: '' });
    expect([open.status, open.as]).toEqual([200, 'attachment; filename="encore-qr-payment.pkpass"']);
    expect(passIn(open.files)).toMatchObject({ barcodes: [{ message: ownQrContent(juno) }] });
    expect((await juno.post('/api/apple-wallet/generate-qr-pass', undefined)).status).toBe(200);
    const fixed = await download('generate-qr-pass', { amount: 5 });
    expect(passIn(fixed.files)).toMatchObject({
      barcodes: [{ message: `${stack().url}/tip/${juno.id}?amount=5.00` }],
    });
  });

  it('is refused in words for nobody, for a wrong amount, and when it is asked for too often', async () => {
    const ask = (body: object) => juno.post('/api/apple-wallet/generate-pass', body);
    expect(refusal(await ask({ userId: 'usr_nobody', amount: '1' }))).toEqual([
      404,
      'Recipient user not found',
    ]);
    expect(refusal(await ask({ amount: '-1' }))).toEqual([
      400,
      'Please enter a valid amount greater than 0.',
    ]);
    const answers = [];
    for (let n = 0; n < 12; n += 1) answers.push(await ask({ amount: '1.00' }));
    expect(refusal(answers.at(-1)!)).toEqual([
      429,
      'Too many passes at once. Please wait a minute and try again.',
    ]);
    expect((await milo.post('/api/apple-wallet/generate-pass', {})).status).toBe(200);
  });
});
