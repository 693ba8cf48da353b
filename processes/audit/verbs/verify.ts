/** `encore audit verify`: what holds in the log and in the read models, and what does not. */
import { ArchiveDamaged } from '#audit/exported-log/segments';
import { fromMoment, timeZoneOf } from '#audit/books/moments';
import { hasPassed, reportLines, type Check } from '#audit/report';
import type { Anchor } from '#audit/transparency/anchor';
import { checkAnchors } from '#audit/transparency/check-anchors';
import { verify, verifyEvents } from '#audit/verify';
import type { Since } from '#audit/verify-log';
import { CannotRun } from '../../shell/command.js';
import { orCannotRun } from '../books-options.js';
import { MASTER_KEY_SETTINGS, readSettings } from '../../shell/settings.js';
import { anchorIfAny, takingAnchor, type AnchorOptions } from '../anchors.js';
import { readingLog, type Answer, type AuditIo, type SourceOptions, type Verb } from '../verb.js';

export interface VerifyOptions extends SourceOptions, AnchorOptions {
  readonly eventsOnly?: boolean;
  readonly names?: boolean;
  readonly since?: string;
  readonly dueAhead?: boolean;
}

/** From where on is judged, and what vouches for what stands before. Throws CannotRun. */
async function sinceOf(io: AuditIo, options: VerifyOptions, anchor?: Anchor): Promise<Since | undefined> {
  const { since } = options;
  if (since === undefined) return undefined;
  if (!anchor)
    throw new CannotRun(
      'With --since, what stands before is not judged: name with --anchor a head that was signed when it was verified.',
    );
  const source = await io.openSource(options);
  const from = await orCannotRun(async () => fromMoment(since, await timeZoneOf(source)));
  return { ...from, signedSize: anchor.head.size };
}

async function logChecks(io: AuditIo, options: VerifyOptions, since?: Since): Promise<readonly Check[]> {
  const dueClock = options.dueAhead ? 'ahead' : 'own';
  if (options.fromFile !== undefined || options.eventsOnly)
    return verifyEvents(await io.openSource(options), since, dueClock);
  const settings = readSettings(['DATABASE_URL', ...MASTER_KEY_SETTINGS]);
  // An exported log needs no database: what speaks to one is loaded here.
  const { openReadModels } = await import('../../shell/read-models.js');
  const { HOWEVER_LONG, openReadPool } = await import('#projections/engine/database');
  const { models } = await openReadModels(settings);
  const db = openReadPool(settings.DATABASE_URL, 2, HOWEVER_LONG);
  const shows = options.names ? 'everything' : 'ids';
  return verify(io.openLog(), { databaseUrl: settings.DATABASE_URL, db, models, shows }, since, dueClock);
}

/**
 * What verify finds in the log that the options name, also against the signed head that they name or that is
 * published. Throws CannotRun, and ArchiveDamaged for a file.
 */
export async function checksOf(io: AuditIo, options: VerifyOptions): Promise<readonly Check[]> {
  const anchor = await anchorIfAny(options);
  const checks = await logChecks(io, options, await sinceOf(io, options, anchor));
  return anchor ? [...checks, await checkAnchors(await io.openSource(options), [anchor])] : checks;
}

async function verified(io: AuditIo, options: VerifyOptions): Promise<Answer> {
  try {
    const checks = await checksOf(io, options);
    const isInOrder = hasPassed(checks);
    return { status: isInOrder ? 0 : 1, lines: reportLines(checks), json: { isInOrder, checks } };
  } catch (error) {
    if (!(error instanceof ArchiveDamaged)) throw error;
    return { status: 1, lines: [error.message], json: { isInOrder: false, damaged: error.message } };
  }
}

export const verifyVerb: Verb = (audit, io) => {
  takingAnchor(readingLog(audit.command('verify')))
    .description('read the whole log, and the read models against it, and say what holds and what does not')
    .option('--events-only', 'leave Postgres alone')
    .option(
      '--since <moment>',
      'judge what came from a revision, day, month or time on; a signed head (--anchor) must cover what was before',
    )
    .option(
      '--due-ahead',
      'for the log of a suite, whose schedules ran by a clock ahead of its own: let what was recorded before it was due pass',
    )
    .option('--names', 'show the names, addresses and notes of rows that differ; ids alone unless told')
    .action(async (options: VerifyOptions) => io.answer(await verified(io, options)));
};
