/**
 * Whom a request comes from: sessions and their ends, places by address, and the trail of security events.
 */
import type { Provider } from '@nestjs/common';
import type { ClientConfig } from 'pg';
import type { Logger } from 'pino';
import { BadSetting } from '#contracts/configuration';
import { SignIns } from '#ledger/identity/sign-ins';
import { PasskeyTokens } from '#ledger/passkeys/passkey-tokens';
import { SecurityTrail } from '#ledger/security-trail/security-trail';
import { StoredTrail } from '#ledger/security-trail/stored-trail';
import { CookieJar } from '#ledger/sessions/cookies';
import { Places } from '#ledger/sessions/places';
import { SessionEnds } from '#ledger/sessions/session-ends';
import { Sessions } from '#ledger/sessions/sessions';
import { Confirmations } from '#ledger/step-up/confirmations';
import { answersWithin, connectionTo } from '#projections/engine/database';
import type { Figures } from '../shell/figures.js';
import type { LedgerSettings } from './settings.js';
import type { LedgerStores } from './stores.js';

export interface LedgerEdge {
  readonly sessions: Sessions;
  readonly sessionEnds: SessionEnds;
  readonly cookies: CookieJar;
  readonly places: Places;
  readonly trail: StoredTrail;
  readonly parts: readonly Provider[];
}

export async function openEdge(
  settings: LedgerSettings,
  { pool }: Pick<LedgerStores, 'pool'>,
  figures: Figures,
  log: Logger,
): Promise<LedgerEdge> {
  const places = await placesOf(settings, log);
  const sessions = new Sessions(pool, {
    idleDays: settings.SESSION_IDLE_DAYS,
    longestDays: settings.SESSION_LONGEST_DAYS,
  });
  const sessionEnds = SessionEnds.listen(listening(settings.DATABASE_URL));
  const cookies = new CookieJar(new URL(settings.PUBLIC_URL).protocol === 'https:');
  const trail = trailOver(pool, settings, figures, log);
  const parts: Provider[] = [
    { provide: Sessions, useValue: sessions },
    { provide: SessionEnds, useValue: sessionEnds },
    { provide: CookieJar, useValue: cookies },
    { provide: Places, useValue: places },
    { provide: SecurityTrail, useValue: trail },
    { provide: SignIns, useValue: new SignIns(pool) },
    { provide: PasskeyTokens, useValue: new PasskeyTokens(pool) },
    { provide: Confirmations, useValue: new Confirmations(pool) },
  ];
  return { sessions, sessionEnds, cookies, places, trail, parts };
}

const LISTENER_ANSWERED_WITHIN_MS = 3_000;

/**
 * The connection that each ledger has open from its start to its end, under a name by which it is known:
 * operate/living-ledgers.ts.
 */
export const listening = (databaseUrl: string): ClientConfig => ({
  ...connectionTo(databaseUrl),
  ...answersWithin(LISTENER_ANSWERED_WITHIN_MS),
  application_name: 'encore-ledger',
});

async function placesOf({ PLACES_FILE: file }: LedgerSettings, log: Logger): Promise<Places> {
  const onUnreadable = (why: string): void =>
    log.warn({ file, why }, 'the new file of places cannot be read: the one of before is still used');
  return Places.open(file, { onUnreadable }).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new BadSetting(`PLACES_FILE is ${file}, which cannot be read as a file of places: ${why}`);
  });
}

function trailOver(
  pool: LedgerStores['pool'],
  settings: LedgerSettings,
  figures: Figures,
  log: Logger,
): StoredTrail {
  const lost = figures.counter(
    'encore_security_trail_lost_total',
    'Lines of the security trail that could not be written: each is in the log instead',
  );
  const trail = new StoredTrail({
    pool,
    days: settings.SECURITY_TRAIL_DAYS,
    log,
    onLost: (count) => lost.inc(count),
  });
  void trail.deleteOld();
  return trail;
}
