/** Treasury wallets over HTTP: opened, filled, emptied, and listed; and what is refused, in which words. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { AccountEntry, Statement, StatementList } from '#contracts/api/statements';
import { TreasuryMovement, TreasuryTransaction, TreasuryWallet } from '#contracts/api/treasury';
import { useEvidence } from '#test/support/evidence';
import { CardProviderWorld } from '#test/support/payer';
import { json, Person, refusal, type Answer } from '#test/support/person';
import { useStack, WITHOUT_WORKERS } from '#test/support/stack';

const stack = useStack(WITHOUT_WORKERS, {
  env: { LIMITS: 'wallets-day=100' },
});

const WALLETS = '/api/treasury/wallets';
const TRANSFER = '/api/treasury/transfer';
const WITHDRAW = '/api/treasury/withdraw';
const TRANSACTIONS = '/api/treasury/transactions';

const evidence = useEvidence(stack);
let juno: Person;
let milo: Person;

beforeAll(async () => {
  const provider = new CardProviderWorld(stack);
  [juno, milo] = await Promise.all([Person.signUp(stack().url, 'Juno'), Person.signUp(stack().url, 'Milo')]);
  const { clientSecret } = await milo.pay(juno.id, '1500.00');
  await provider.card(clientSecret);
  await provider.delivered();
  await evidence.shown();
});

const ok = (answer: Answer): unknown => {
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return json(answer);
};
const opened = async (displayName: string, description?: string): Promise<TreasuryWallet> =>
  TreasuryWallet.parse(ok(await juno.post(WALLETS, { displayName, description })));
const walletsOf = async (person: Person): Promise<TreasuryWallet[]> =>
  z.array(TreasuryWallet).parse(ok(await person.get(WALLETS)));
const walletOf = async (id: string): Promise<TreasuryWallet> =>
  (await walletsOf(juno)).find((wallet) => wallet.id === id)!;
const listed = async (query = ''): Promise<TreasuryTransaction[]> =>
  z.array(TreasuryTransaction).parse(ok(await juno.get(`${TRANSACTIONS}${query}`)));
const moved = (answer: Answer): TreasuryMovement => TreasuryMovement.parse(ok(answer));

describe('a wallet', () => {
  it('is opened empty and active, and is in the list at once', async () => {
    const wallet = await opened('  Tour ', 'Vans and hotels');
    expect(wallet).toEqual({
      id: expect.stringMatching(/^wal_/),
      displayName: 'Tour',
      description: 'Vans and hotels',
      balance: '0.00',
      currency: 'USD',
      status: 'active',
    });
    expect(await walletsOf(juno)).toContainEqual(wallet);
    expect(await walletsOf(milo)).toEqual([]);
  });

  it('takes money from the balance and gives it back; each move is in the list with its sign', async () => {
    const { id: walletId } = await opened('Strings');
    const before = (await juno.me()).earnings;
    const funded = moved(await juno.post(TRANSFER, { walletId, amount: '1200.50', description: 'A cello' }));
    expect(funded).toMatchObject({ walletId, type: 'credit', amount: '1200.50', status: 'completed' });
    expect(Number((await juno.me()).earnings)).toBe(Number(before) - 1200.5);
    const withdrawn = moved(await juno.post(WITHDRAW, { walletId, amount: 1000.5 }));
    expect(await walletOf(walletId)).toMatchObject({ balance: '200.00' });
    const lines = (await listed()).filter((line) => line.walletId === walletId);
    expect(
      lines.map(({ id, type, amount, description, walletName }) => [
        id,
        type,
        amount,
        description,
        walletName,
      ]),
    ).toEqual([
      [withdrawn.id, 'debit', '1000.50', null, 'Strings'],
      [funded.id, 'credit', '1200.50', 'A cello', 'Strings'],
    ]);
    moved(await juno.post(WITHDRAW, { walletId, amount: '200.00' }));
    expect((await juno.me()).earnings).toBe(before);
  });

  it('moves once for one key, however often it is sent, and never something else', async () => {
    const { id: walletId } = await opened('Once');
    const headers = { 'idempotency-key': uuidv7() };
    const body = { walletId, amount: '10.00', description: 'Once' };
    const answers = await Promise.all([1, 2, 3].map(() => juno.post(TRANSFER, body, headers)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await walletOf(walletId)).toMatchObject({ balance: '10.00' });
    for (const [path, other] of [
      [TRANSFER, { ...body, amount: '11.00' }],
      [WITHDRAW, body],
    ] as const)
      expect(refusal(await juno.post(path, other, headers))[0]).toBe(422);
    const opening = { 'idempotency-key': uuidv7() };
    const [first, again] = [
      await juno.post(WALLETS, { displayName: 'Twice' }, opening),
      await juno.post(WALLETS, { displayName: 'Twice' }, opening),
    ];
    expect(again.text).toBe(first.text);
    expect((await walletsOf(juno)).filter(({ displayName }) => displayName === 'Twice')).toHaveLength(1);
  });

  it('is listed by page, without a gap or a repeat', async () => {
    const { id: walletId } = await opened('Pages');
    for (const amount of ['1.00', '2.00', '3.00']) moved(await juno.post(TRANSFER, { walletId, amount }));
    const query = `?walletId=${walletId}&limit=2`;
    const first = await juno.get(`${TRANSACTIONS}${query}`);
    const cursor = first.headers.get('x-encore-next-cursor')!;
    const pages = [
      ...z.array(TreasuryTransaction).parse(json(first)),
      ...(await listed(`${query}&cursor=${cursor}`)),
    ];
    expect(pages.map(({ amount }) => amount)).toEqual(['3.00', '2.00', '1.00']);
    expect(await listed(`?search=PAGES&type=credit&from=${pages[2]!.createdAt}`)).toEqual(pages);
    expect(await listed(`?walletId=${walletId}&type=debit`)).toEqual([]);
    const two = await juno.get(`${WALLETS}?limit=2`);
    const rest = await juno.get(`${WALLETS}?cursor=${two.headers.get('x-encore-next-cursor')}`);
    expect([...(json(two) as unknown[]), ...(json(rest) as unknown[])]).toEqual(await walletsOf(juno));
    expect(rest.headers.get('x-encore-next-cursor')).toBeNull();
  });
});

describe('a wallet that is there already', () => {
  it('is given another name and description, once for one key', async () => {
    const { id } = await opened('Vans', 'Old vans');
    const renamed = { displayName: 'New vans', description: '' };
    for (let twice = 0; twice < 2; twice++)
      expect(ok(await juno.call('PATCH', `${WALLETS}/${id}`, renamed))).toMatchObject({
        id,
        displayName: 'New vans',
        description: null,
      });
    expect(await walletOf(id)).toMatchObject({ displayName: 'New vans', description: null });
    expect(refusal(await milo.call('PATCH', `${WALLETS}/${id}`, renamed))).toEqual([404, 'Wallet not found']);
  });

  it('is closed, and what was in it is in the balance again', async () => {
    const { id: walletId } = await opened('Short');
    const { earnings } = await juno.me();
    moved(await juno.post(TRANSFER, { walletId, amount: '12.34', description: 'For a while' }));
    expect(refusal(await milo.call('DELETE', `${WALLETS}/${walletId}`))).toEqual([404, 'Wallet not found']);
    const key = { 'idempotency-key': uuidv7() };
    for (let twice = 0; twice < 2; twice++)
      expect((await juno.call('DELETE', `${WALLETS}/${walletId}`, undefined, key)).status).toBe(204);
    expect((await juno.me()).earnings).toBe(earnings);
    expect(await walletOf(walletId)).toBeUndefined();
    expect((await listed())[0]).toMatchObject({
      walletId,
      walletName: 'Short',
      type: 'debit',
      amount: '12.34',
    });
    for (const path of [TRANSFER, WITHDRAW])
      expect(refusal(await juno.post(path, { walletId, amount: '1.00' }))).toEqual([404, 'Wallet not found']);
    expect(refusal(await juno.call('DELETE', `${WALLETS}/${walletId}`))).toEqual([404, 'Wallet not found']);
  });

  it('is one of 25 at most, and the 26th is refused, also when two are asked for at once', async () => {
    const milos = async (n: number) => milo.post(WALLETS, { displayName: `Wallet ${n}` });
    // A day has room for 20 only: the stack of this suite has raised that.
    for (let n = 0; n < 24; n++) expect((await milos(n)).status).toBe(200);
    const last = await Promise.all([milos(24), milos(25), milos(26)]);
    expect(last.map(({ status }) => status).sort()).toEqual([200, 422, 422]);
    expect(last.filter(({ status }) => status === 422).map(refusal)[0]).toEqual([
      422,
      'You can have 25 wallets at most. Close one that you no longer use first.',
    ]);
    expect(await walletsOf(milo)).toHaveLength(25);
  });
});

describe('what is refused, and changes nothing', () => {
  it('is said in a plain sentence', async () => {
    const { id: walletId } = await opened('Refused');
    const { earnings } = await juno.me();
    const before = await evidence.everything();
    const dollars = Number(earnings).toLocaleString('en-US', { style: 'currency', currency: 'USD' });
    for (const [path, body, status, sentence] of [
      [WALLETS, { displayName: '   ' }, 400, 'Please enter a wallet name.'],
      [WALLETS, {}, 400, 'Please enter a wallet name.'],
      [WALLETS, { displayName: 'x'.repeat(101) }, 400, 'A wallet name has at most 100 characters.'],
      [TRANSFER, { walletId, amount: '' }, 400, 'Please enter a valid amount.'],
      [TRANSFER, { walletId, amount: '0' }, 400, 'Please enter a valid amount.'],
      [TRANSFER, { walletId, amount: '-1' }, 400, 'Please enter a valid amount.'],
      [TRANSFER, { amount: '1.00' }, 400, 'Please enter a valid amount.'],
      [TRANSFER, { walletId, amount: '1.001' }, 400, 'An amount has at most two decimals, such as 12.50.'],
      [
        TRANSFER,
        { walletId, amount: '99999.00' },
        422,
        `Your available balance is ${dollars}, which does not cover $99,999.00.`,
      ],
      [WITHDRAW, { walletId, amount: '0.01' }, 422, 'This wallet holds $0.00, which does not cover $0.01.'],
      [TRANSFER, { walletId: 'wal_of_nobody', amount: '1.00' }, 404, 'Wallet not found'],
    ] as const)
      expect([body, ...refusal(await juno.post(path, body))]).toEqual([body, status, sentence]);
    for (const path of [TRANSFER, WITHDRAW])
      expect(refusal(await milo.post(path, { walletId, amount: '1.00' }))).toEqual([404, 'Wallet not found']);
    expect(await evidence.everything()).toEqual(before);
  });

  it('is not even tried without a session', async () => {
    const nobody = new Person(stack().url, 'Nobody', 'nobody', 'nobody@valastro.example');
    for (const path of [WALLETS, TRANSACTIONS]) expect((await nobody.get(path)).status).toBe(401);
  });
});

describe('the entries of an account', () => {
  it('are its statement: the month adds up to the balance, as a list, as a page and as a PDF', async () => {
    const wallet = (await walletsOf(juno)).at(-1)!;
    moved(await juno.post(TRANSFER, { walletId: wallet.id, amount: '12.00', description: 'Strings' }));
    await evidence.shown();
    const { timeZone, months } = StatementList.parse(ok(await juno.get('/api/statements')));
    expect(timeZone).toBe('UTC');
    const [present] = months;
    expect(present).toMatchObject({ closing: (await juno.me()).earnings, isClosed: false });
    const month = Statement.parse(ok(await juno.get(`/api/statements/${present!.month}`)));
    expect(month.lines.at(-1)).toMatchObject({
      amount: '-12.00',
      walletName: wallet.displayName,
      description: 'Strings',
    });
    expect(month.lines.at(-1)?.balance).toBe(month.closing);
    const newest = z
      .array(AccountEntry)
      .parse(ok(await juno.get(`/api/account-entries?account=${wallet.id}&limit=1`)));
    expect(newest).toMatchObject([
      { amount: '12.00', balance: (await walletOf(wallet.id)).balance, type: 'WalletFunded' },
    ]);
    const pdf = await juno.get(`/api/statements/${present!.month}/pdf`);
    expect(pdf.status).toBe(200);
    expect(pdf.text.slice(0, 5)).toBe('%PDF-');
    expect((await juno.get('/api/statements/2026-13')).status).toBe(400);
    expect((await milo.get(`/api/account-entries?account=${wallet.id}`)).status).toBe(404);
  });
});

describe('after all of it', () => {
  it('names and descriptions are nowhere in the log in the clear, and the books are in order', async () => {
    const log = await evidence.text();
    for (const word of ['Vans and hotels', 'Strings', 'A cello']) expect(log).not.toContain(word);
    await evidence.holds();
  });
});
