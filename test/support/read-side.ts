/**
 * The read side for specs: a database of its own, a story that writes its log, and the read models fed event
 * by event, each event twice. `rebuildsTheSame` replays all of it in large batches and compares row by row.
 */
import { afterEach, expect } from '@jest/globals';
import type pg from 'pg';
import { OUR_PREFIXES } from '#contracts/events/our-streams';
import { START, type Position } from '#contracts/log';
import { storedEvent } from '#log/stored-event';
import { openReadPool } from '#projections/engine/database';
import { connectProjector, projectBatch } from '#projections/engine/project-batch';
import { prepareReadModels } from '#projections/engine/prepare';
import type { ReadModel } from '#projections/engine/read-model';
import { PARKING_TABLES } from '#projections/engine/parking';
import { compareWithReplay, rebuild } from '#projections/engine/rebuild';
import { readModels } from '#projections/read-models';
import { freshDatabase } from '#test/support/database';
import {
  clearReplay,
  giveBack,
  REPLAY_SCHEMA,
  spareDatabase,
  type SpareDatabase,
} from '#test/support/spare-databases';
import { useStack } from '#test/support/stack';
import type { TestStack } from '#test/support/start-stack';
import { Story } from '#test/support/story';

export class ReadSide {
  #fed: Position = START;

  private constructor(
    readonly databaseUrl: string,
    readonly story: Story,
    readonly models: readonly ReadModel[],
    /** For queries. */
    readonly db: pg.Pool,
    /**
     * Where the tables are those of another spec before, and will be another's: the cluster, and the
     * database.
     */
    private readonly shared?: { readonly cluster: string; readonly database: SpareDatabase },
  ) {}

  /** Tables in a new database of the cluster that `url` points into; `models` are all of them unless told. */
  static async open(url: string, story = new Story(), models?: readonly ReadModel[]): Promise<ReadSide> {
    if (models === undefined && story.log.all.length === 0) {
      const database = await spareDatabase(url);
      const db = openReadPool(database.url, 4);
      return new ReadSide(database.url, story, readModels(story.vault), db, { cluster: url, database });
    }
    const databaseUrl = await freshDatabase(url);
    const wanted = models ?? readModels(story.vault);
    await prepareReadModels({ databaseUrl, log: story.log, models: wanted });
    return new ReadSide(databaseUrl, story, wanted, openReadPool(databaseUrl, 4));
  }

  /**
   * Feeds everything that the story wrote since the last feed: one event at a time, and each of them twice.
   */
  async feed(): Promise<void> {
    const client = await connectProjector(this.databaseUrl, 'read');
    try {
      for await (const raw of this.story.log.readAll(this.#fed, OUR_PREFIXES)) {
        const events = [storedEvent(raw)];
        const options = { schema: 'read', models: this.models, announce: true };
        expect((await projectBatch(client, events, options)).projected).toBe(1);
        expect((await projectBatch(client, events, options)).projected).toBe(0);
        this.#fed = raw.position;
      }
    } finally {
      await client.end();
    }
  }

  /** Feeds all that the log holds once more, from its start, in one batch. */
  async feedAgain(): Promise<void> {
    const client = await connectProjector(this.databaseUrl, 'read');
    try {
      const options = { schema: 'read', models: this.models, announce: true };
      expect((await projectBatch(client, this.story.log.all.map(storedEvent), options)).projected).toBe(0);
    } finally {
      await client.end();
    }
  }

  /**
   * Replays the whole log into tables of its own, in large batches, and compares every row with the live
   * ones.
   */
  async rebuildsTheSame(): Promise<void> {
    const { databaseUrl, models, story, shared } = this;
    const of = { databaseUrl, log: story.log, models };
    if (shared) await clearReplay(shared.database);
    const report = await (shared
      ? compareWithReplay({ ...of, scratch: REPLAY_SCHEMA, shows: 'everything' })
      : rebuild({ ...of, compare: true, swap: false }));
    expect(report.tables.filter(({ onlyLive, onlyRebuilt }) => onlyLive + onlyRebuilt > 0)).toEqual([]);
    expect(report.tables.map(({ table }) => table).sort()).toEqual(
      [...models.flatMap(({ tables }) => tables), ...PARKING_TABLES].sort(),
    );
  }

  async close(): Promise<void> {
    await this.db.end();
    if (this.shared) await giveBack(this.shared.cluster, this.shared.database);
  }
}

/** A read side for each test of a file: `check` proves it equal to a replay and closes it. */
export function readSides(stack: () => Pick<TestStack, 'env'>) {
  const open = new Set<ReadSide>();
  return {
    async open(story?: Story, models?: readonly ReadModel[]): Promise<ReadSide> {
      const side = await ReadSide.open(stack().env['DATABASE_URL']!, story, models);
      open.add(side);
      return side;
    },
    /** For afterEach. */
    async check(): Promise<void> {
      const sides = [...open];
      open.clear();
      try {
        for (const side of sides) await side.rebuildsTheSame();
      } finally {
        for (const side of sides) await side.close();
      }
    },
  };
}

/** Read sides in a Postgres of the suite's own, each checked after its test. */
export function useReadSides() {
  const sides = readSides(useStack(['postgres']));
  afterEach(() => sides.check());
  return sides;
}
