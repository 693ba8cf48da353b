/**
 * What a browser is told without asking, over the front and two ledgers: after each message the lists that it
 * names show the change, nobody hears of another's, and a stream ends with its session and with its process.
 */
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ALL_TOPICS } from '#contracts/api/events-out';
import { CardProviderWorld } from '#test/support/payer';
import { openEvents, type EventStream } from '#test/support/event-stream';
import { useEvidence } from '#test/support/evidence';
import { Person, refusal } from '#test/support/person';
import { useStack } from '#test/support/stack';

const stack = useStack(['all'], { ledgers: 2 });
const provider = new CardProviderWorld(stack);
const evidence = useEvidence(stack);
let juno: Person;
let milo: Person;
const open: EventStream[] = [];

beforeAll(async () => {
  [juno, milo] = await Promise.all([Person.signUp(stack().url, 'Juno'), Person.signUp(stack().url, 'Milo')]);
});
afterEach(() => open.splice(0).forEach((stream) => stream.close()));

const listen = async (
  person: Person,
  headers?: Record<string, string>,
  at?: string,
): Promise<EventStream> => {
  const stream = await openEvents(person, headers, at);
  open.push(stream);
  return stream;
};
const ledger = (n: 1 | 2): string => `http://127.0.0.1:${stack().ports[`ledger-${n}`]}`;
const aboutPayment = ({ topics }: { topics: readonly string[] }): boolean => topics.includes('transactions');
async function tip(from: Person, to: Person, amount: string): Promise<void> {
  const { clientSecret } = await from.pay(to.id, amount);
  await provider.card(clientSecret);
}

describe('the stream of changes', () => {
  it('is for the signed in only, and is not to be kept or collected by anything on the way', async () => {
    expect(
      refusal(await new Person(stack().url, 'No', 'body', 'no@body.example').get('/api/events')),
    ).toEqual([401, 'Unauthorized']);
    const { answer } = await listen(juno);
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store, no-transform');
    expect(answer.headers.get('x-accel-buffering')).toBe('no');
  });

  it('tells both of a payment on every ledger, once their lists show it; the alert is the recipient’s alone', async () => {
    const [junos, miloFirst, miloSecond] = [
      await listen(juno),
      await listen(milo, {}, ledger(1)),
      await listen(milo, {}, ledger(2)),
    ];
    for (const stream of [junos, miloFirst, miloSecond])
      expect(await stream.next()).toMatchObject({ topics: [], alerts: [] });
    await tip(juno, milo, '12.34');
    for (const stream of [miloFirst, miloSecond]) {
      const told = await stream.next(aboutPayment);
      expect((await milo.me()).earnings).toBe('12.34');
      expect((await milo.transactions())[0]).toMatchObject({ amount: '12.34', status: 'completed' });
      expect(told).toMatchObject({
        topics: ['user', 'transactions'],
        alerts: [
          {
            kind: 'payment_received',
            amount: '12.34',
            counterpartyUsername: juno.username,
            counterpartyName: 'Juno Valastro',
          },
        ],
      });
    }
    expect(await junos.next(aboutPayment)).toMatchObject({ topics: ['user', 'transactions'], alerts: [] });
    expect((await juno.transactions())[0]).toMatchObject({ amount: '12.34', type: 'payment_sent' });
  });

  it('gives no alert to whoever wants none; the lists are named all the same', async () => {
    const stream = await listen(milo);
    expect((await milo.put('/api/settings', { transactionAlertsEnabled: false })).status).toBe(200);
    expect(await stream.next(({ topics }) => topics.includes('settings'))).toMatchObject({
      topics: ['settings'],
      alerts: [],
    });
    await tip(juno, milo, '1.00');
    expect(await stream.next(aboutPayment)).toMatchObject({ topics: ['user', 'transactions'], alerts: [] });
    expect((await milo.put('/api/settings', { transactionAlertsEnabled: true })).status).toBe(200);
  });

  it('says nothing to one whom a payment does not concern', async () => {
    const other = await Person.signUp(stack().url, 'Ada');
    const stream = await listen(other);
    await stream.next();
    await tip(juno, milo, '2.00');
    await provider.delivered();
    await evidence.shown();
    expect((await other.put('/api/settings', { privacyModeEnabled: true })).status).toBe(200);
    expect(await stream.next()).toMatchObject({ topics: ['settings'] });
  });

  it('tells of a card that was saved, chosen or removed, here or in another window', async () => {
    const cards = ({ topics }: { topics: readonly string[] }): boolean => topics.includes('payment-methods');
    const stream = await listen(juno, {}, ledger(1));
    await juno.saveCard(provider);
    await juno.saveCard(provider, '5555555555554444');
    await stream.next(cards);
    await provider.delivered();
    // The newest one is charged until another is chosen.
    const [newest, first] = (await juno.cards()).map(({ id }) => id);
    expect(first).toBeDefined();
    const other = await listen(juno, {}, ledger(2));
    await other.next();
    expect((await juno.call('PUT', `/api/payment-methods/${first}/default`)).status).toBe(200);
    expect(await other.next(cards)).toMatchObject({ topics: ['payment-methods'], alerts: [] });
    for (const id of [first, newest])
      expect((await juno.call('DELETE', `/api/payment-methods/${id}`)).status).toBe(204);
    expect(await other.next(cards)).toMatchObject({ topics: ['payment-methods'] });
  });

  it('names every list to one who comes back', async () => {
    const { position } = await (await listen(juno)).next();
    expect((await (await listen(juno, { 'last-event-id': position })).next()).topics).toEqual(ALL_TOPICS);
    const again = await juno.get(`/api/events?lastEventId=${'9'.repeat(101)}`);
    expect(refusal(again)).toEqual([400, 'The lastEventId is none that this stream gave out.']);
  });

  it('ends when the process is told to end, and is taken up by the other one', async () => {
    const stream = await listen(milo, {}, ledger(2));
    const { position } = await stream.next();
    const stopped = stack().part('ledger-2').stop();
    await Promise.all([stream.end(), stopped]);
    const next = await listen(milo, { 'last-event-id': position });
    expect((await next.next()).topics).toEqual(ALL_TOPICS);
    await tip(juno, milo, '3.00');
    expect((await next.next(aboutPayment)).alerts).toHaveLength(1);
    await stack().part('ledger-2').start();
  });

  it('goes on when the event store was away', async () => {
    const stream = await listen(milo);
    await stack().part('eventstore').restart();
    await tip(juno, milo, '4.00');
    expect((await stream.next(aboutPayment)).alerts).toMatchObject([{ amount: '4.00' }]);
  });

  it('has room for ten windows of one person in a process, and says so', async () => {
    const streams = [];
    for (let n = 0; n < 10; n += 1) streams.push(await listen(juno, {}, ledger(1)));
    const message = 'Too many windows are open for live updates. Close some and reload this one.';
    await expect(listen(juno, {}, ledger(1))).rejects.toThrow(`Answered 429: ${JSON.stringify({ message })}`);
    await listen(milo, {}, ledger(1));
  });

  it('tells nothing more once the person has signed out', async () => {
    const stream = await listen(milo);
    await stream.next();
    await milo.signOut();
    await tip(juno, milo, '5.00');
    await stream.end();
    // That the lists are up to date again after the restart above may be told until the sign-out.
    const ofChanges = stream.messages.filter(({ topics, alerts }) => topics.length + alerts.length > 0);
    expect(ofChanges).toEqual([]);
  });
});
