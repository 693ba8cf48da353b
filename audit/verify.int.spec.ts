/** What verify finds when the live read models are not what the log says. */
import { positionText } from '#contracts/log';
import { PARKING_TABLES } from '#projections/engine/parking';
import { afterEach, describe, expect, it } from '@jest/globals';
import { JUNO, MILO, open, openAccount, settle, transfer } from '#test/support/journal-spec';
import { profileOf } from '#test/support/plain-vault';
import { ReadSide } from '#test/support/read-side';
import { useStack } from '#test/support/stack';
import { hasPassed, type Check } from './report.js';
import { verify } from './verify.js';

const stack = useStack(['postgres']);
const sides: ReadSide[] = [];
afterEach(() => Promise.all(sides.splice(0).map((side) => side.close())));

const tip = { paymentId: 'pay_tip', amount: '20.00' };

async function inOrder(): Promise<ReadSide> {
  const side = await ReadSide.open(stack().env.DATABASE_URL!);
  sides.push(side);
  side.story.register(JUNO, profileOf('juno'));
  side.story.register(MILO, profileOf('milo'));
  side.story.command(
    openAccount(JUNO),
    openAccount(MILO),
    open(tip),
    settle(tip),
    transfer('5.00', JUNO, MILO),
  );
  await side.feed();
  return side;
}

const audited = (side: ReadSide): Promise<readonly Check[]> => verify(side.story.log, side);
const findingsOf = async (side: ReadSide): Promise<Record<string, readonly string[]>> =>
  Object.fromEntries(
    (await audited(side))
      .filter(({ findings }) => findings.length > 0)
      .map(({ name, findings }) => [name, findings]),
  );

describe('the live read models', () => {
  it('are in order when every row is what the log says', async () => {
    const side = await inOrder();
    const checks = await audited(side);
    const tables = side.models.flatMap((model) => model.tables).length + PARKING_TABLES.length;
    expect(hasPassed(checks)).toBe(true);
    expect(checks.slice(-2).map(({ name, figure }) => `${name}: ${figure}`)).toEqual([
      'balances table = folded books: 3 accounts at 448/448',
      expect.stringMatching(
        new RegExp(`^live rows = replay: [1-9]\\d* rows in ${tables} tables, 7 events to 448/448$`),
      ),
    ]);
  });

  it('are in order while they are behind the log', async () => {
    const side = await inOrder();
    side.story.command(transfer('1.00', JUNO, MILO, 'trf_2'));
    expect(await findingsOf(side)).toEqual({});
  });

  it('are found out when a balance was changed, by two ways that share no code', async () => {
    const side = await inOrder();
    await side.db.query(
      `update balances set balance_minor = balance_minor + 100 where account = 'user/usr_juno/available'`,
    );
    const found = await findingsOf(side);
    expect(found['balances table = folded books']).toEqual([
      'user/usr_juno/available is 1600 in the table and is 1500 in the books',
    ]);
    expect(found['live rows = replay']).toEqual([
      'balances: DIFFERS: 1 of 3 live rows are not what the log says, 1 of 3 replayed rows are not live',
      '    live:   {"account":"user/usr_juno/available","currency":"usd","balance_minor":1600}',
      '    replay: {"account":"user/usr_juno/available","currency":"usd","balance_minor":1500}',
    ]);
  });

  it('are found out when a line was removed from somebody’s list, or an address was put in another’s place', async () => {
    const side = await inOrder();
    await side.db.query(`delete from transactions where id = 'trf_1'`);
    await side.db.query(`update users set email = 'thief@example.org', email_key = 'thief@example.org'`);
    const found = await findingsOf(side);
    expect(Object.keys(found)).toEqual(['live rows = replay']);
    expect(
      found['live rows = replay']!.filter((line) => !line.startsWith(' ')).map((line) => line.split(':')[0]),
    ).toEqual(['users', 'transactions']);
  });

  it('are told by ids, and with names only where those are asked for', async () => {
    const side = await inOrder();
    await side.db.query(`update users set email = 'thief@example.org', email_key = 'thief@example.org'`);
    const byIds = (await findingsOf(side))['live rows = replay']!.join('\n');
    expect(byIds).toMatch(/live: .*"id":"usr_juno".*"email":"…"/);
    expect(byIds).not.toMatch(/thief|juno@|Juno/);
    const checks = await verify(side.story.log, { ...side, shows: 'everything' });
    const withNames = checks.flatMap(({ findings }) => findings).join('\n');
    expect(withNames).toMatch(/live: .*thief@example\.org/);
    expect(withNames).toMatch(/replay: .*juno@example\.org/);
  });

  it.each([
    ['a balance', `update balances set balance_minor = 0 where account = 'user/usr_milo/available'`],
    ['a row put in', `insert into balances values ('platform/bonus', 'usd', 5)`],
    ['a row taken away', `delete from users where id = 'usr_milo'`],
    [
      'a stray idempotency key',
      `insert into idempotency_keys (key, revision, position) values ('x:y', 9, '1/1')`,
    ],
    ['an idempotency key taken away', `delete from idempotency_keys where key = 'settle:ch_pay_tip'`],
    ['a sum of what was received', `update receipts set received_minor = received_minor + 1`],
  ])('are found out by %s', async (_, sql) => {
    const side = await inOrder();
    expect((await side.db.query(sql)).rowCount).toBeGreaterThan(0);
    expect(Object.keys(await findingsOf(side))).toContain('live rows = replay');
  });

  it('are found out by a trigger or a rule on their tables', async () => {
    const side = await inOrder();
    await side.db.query(
      `create function skim() returns trigger language plpgsql as $$ begin return new; end $$;
       create trigger skim before update on balances for each row execute function skim();
       create rule hide as on delete to transactions do instead nothing`,
    );
    const found = await findingsOf(side);
    expect(found['nothing of others on the read tables']).toEqual([
      expect.stringMatching(/^balances has the trigger skim, and we make none/),
      expect.stringMatching(/^transactions has the rule hide, and we make none/),
    ]);
  });

  it('are found out when their checkpoints were set back behind what they hold', async () => {
    const side = await inOrder();
    const earlier = side.story.log.all[2]!.position;
    await side.db.query(`update checkpoints set position = $1`, [positionText(earlier)]);
    expect(Object.keys(await findingsOf(side))).toContain('balances table = folded books');
  });

  it('tell that the end of the log was cut off: they have seen more than it holds', async () => {
    const side = await inOrder();
    side.story.log.all.pop();
    const found = await findingsOf(side);
    expect(found['balances table = folded books']).toEqual([
      'The read models stand at 448/448, and the log holds no event there: it lacks what they have seen.',
    ]);
    expect(Object.keys(found)).toContain('live rows = replay');
  });

  it('tell that they were made from another log, though they are what this one says', async () => {
    const side = await inOrder();
    await side.db.query(`update checkpoints set last_event = jsonb_set(last_event, '{id}', '"another"')`);
    const found = await findingsOf(side);
    expect(found).toEqual({
      'rows made from this log': [expect.stringMatching(/^The log is another one than .*step 6 of docs/)],
    });
  });

  it('are not replayed from a log that cannot be read, and that is a finding', async () => {
    const side = await inOrder();
    side.story.log.all[3] = { ...side.story.log.all[3]!, type: 'Nonsense' };
    const found = await findingsOf(side);
    expect(found['live rows = replay']).toEqual([
      expect.stringMatching(/^The log cannot be replayed: .*"Nonsense"/),
    ]);
    expect(found['every event readable']).toHaveLength(1);
  });

  it('are missed when the projections never ran', async () => {
    const side = await inOrder();
    await side.db.query('drop schema read cascade');
    expect(await findingsOf(side)).toEqual({
      'live rows = replay': ['There are no read models yet: start the projections once.'],
    });
  });

  it('leave no rows of the audit behind', async () => {
    const side = await inOrder();
    await audited(side);
    const { rows } = await side.db.query(
      `select distinct schemaname from pg_tables where schemaname like 'read%'`,
    );
    expect(rows).toEqual([{ schemaname: 'read' }]);
  });
});
