/** `encore audit verify`: what holds in the log and in the read models, and what does not. */
import { ArchiveDamaged } from '#audit/exported-log/segments';
import { hasPassed, reportLines, type Check } from '#audit/report';
import { checkAnchors } from '#audit/transparency/check-anchors';
import { verify, verifyEvents } from '#audit/verify';
import { MASTER_KEY_SETTINGS, readSettings } from '../../shell/settings.js';
import { anchorIfAny, takingAnchor, type AnchorOptions } from '../anchors.js';
import { readingLog, type Answer, type AuditIo, type SourceOptions, type Verb } from '../verb.js';

export interface VerifyOptions extends SourceOptions, AnchorOptions {
  readonly eventsOnly?: boolean;
  readonly names?: boolean;
}

/** The log against the signed head that is named, or that is published. */
async function anchorChecks(io: AuditIo, options: VerifyOptions): Promise<readonly Check[]> {
  const anchor = await anchorIfAny(options);
  return anchor ? [await checkAnchors(await io.openSource(options), [anchor])] : [];
}

async function logChecks(io: AuditIo, options: VerifyOptions): Promise<readonly Check[]> {
  if (options.fromFile !== undefined || options.eventsOnly) return verifyEvents(await io.openSource(options));
  const settings = readSettings(['DATABASE_URL', ...MASTER_KEY_SETTINGS]);
  // An exported log needs no database: what speaks to one is loaded here.
  const { openReadModels } = await import('../../shell/read-models.js');
  const { openReadPool } = await import('#projections/engine/database');
  const { models } = await openReadModels(settings);
  const db = openReadPool(settings.DATABASE_URL, 2);
  return verify(io.openLog(), {
    databaseUrl: settings.DATABASE_URL,
    db,
    models,
    shows: options.names ? 'everything' : 'ids',
  });
}

/** What verify finds in the log that the options name. Throws CannotRun, and ArchiveDamaged for a file. */
export const checksOf = async (io: AuditIo, options: VerifyOptions): Promise<readonly Check[]> => [
  ...(await logChecks(io, options)),
  ...(await anchorChecks(io, options)),
];

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
    .option('--names', 'show the names, addresses and notes of rows that differ; ids alone unless told')
    .action(async (options: VerifyOptions) => io.answer(await verified(io, options)));
};
