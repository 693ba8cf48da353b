/**
 * A Postgres that is gone without a word, as after a host that broke or a firewall that forgot its
 * connections: the same name leads to Postgres again at once, and connections of before stay open and carry
 * nothing.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { JUNO, MILO, open, openAccount, settle, submit } from '#test/support/journal-spec';
import { readSides, type ReadSide } from '#test/support/read-side';
import { SilentConnections } from '#test/support/silent-connections';
import { useStack } from '#test/support/stack';
import { eventually } from '#test/conformance/stripe-process';
import { connectionTo } from './database.js';
import { Projector } from './projector.js';

const stack = useStack(['postgres']);
const sides = readSides(stack);
const SOON_MS = 200;

describe('a connection to Postgres that carries nothing any more', () => {
  let side: ReadSide;
  let between: SilentConnections;
  let url: string;

  beforeEach(async () => {
    side = await sides.open();
    side.story.command(openAccount(JUNO), openAccount(MILO));
    between = new SilentConnections();
    url = await between.to(side.databaseUrl);
  });
  afterEach(async () => {
    await between.close();
    await sides.check();
  });

  function tip(paymentId: string): void {
    const terms = { paymentId, amount: '1.00' };
    side.story.command(open(terms), submit(terms), settle(terms));
  }

  it('is replaced by the projector, and no row is missing', async () => {
    const projector = new Projector({
      log: side.story.log,
      databaseUrl: url,
      models: side.models,
      lostConnection: { afterMs: SOON_MS, lookEveryMs: SOON_MS, idleMs: 60_000 },
    });
    projector.start();
    try {
      await eventually(() => projector.state.status === 'live', 'the projector to be live');
      between.forgetThem();
      tip('pay_1');
      expect(await eventually(() => projector.journalRevision === 4, 'the tip to be projected')).toBe(true);
    } finally {
      await projector.stop();
    }
  }, 60_000);

  it('keeps no other projector waiting: Postgres ends a transaction whose process says nothing more', async () => {
    let goOn: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    let isInTheMiddle = false;
    const models = side.models.map((model) =>
      model.name === 'unapplied' ? { ...model, project: () => ((isInTheMiddle = true), held) } : model,
    );
    const common = { log: side.story.log, databaseUrl: side.databaseUrl };
    const lostConnection = { afterMs: 60_000, lookEveryMs: 60_000, idleMs: SOON_MS };
    const frozen = new Projector({ ...common, models, lostConnection });
    const other = new Projector({ ...common, models: side.models });
    frozen.start();
    try {
      await eventually(() => isInTheMiddle, 'the first projector to be in the middle of its work');
      other.start();
      expect(await eventually(() => other.journalRevision === 1, 'the other to take over')).toBe(true);
    } finally {
      goOn();
      await Promise.all([frozen.stop(), other.stop()]);
    }
  }, 90_000);

  it('is given up by Postgres within a minute, locks and all', async () => {
    const { rows } = await side.db.query(
      `select name, setting from pg_settings where name like 'tcp\\_%' order by name`,
    );
    expect(rows).toEqual([
      { name: 'tcp_keepalives_count', setting: '3' },
      { name: 'tcp_keepalives_idle', setting: '30' },
      { name: 'tcp_keepalives_interval', setting: '10' },
      { name: 'tcp_user_timeout', setting: '60000' },
    ]);
  });

  it('is given up after ten seconds while it is being opened', () =>
    expect(connectionTo('postgres://x').connectionTimeoutMillis).toBe(10_000));
});
