/** Proves, at the start of a ledger, that its log and the card provider's account belong together. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { BadSetting } from '#contracts/configuration';
import { CannotFound, type FoundingGate } from '#ledger/founding/founding';
import { ProviderRefused } from '#ledger/stripe/provider-payment';

const FOUNDED_WITHIN_MS = 5_000;
const FOUNDING_RETRY_MS = 2_000;

/**
 * Proves that the log and the card provider's account belong together: before anything is served where both
 * answer, and else as soon as they do. Throws BadSetting for keys of another account.
 */
export async function proveFounding(gate: FoundingGate, opened: Promise<void>, log: Logger): Promise<void> {
  let isServing = false;
  const attempt = async (): Promise<void> => {
    await opened;
    for (;;) {
      try {
        return log.info(await gate.attempt());
      } catch (error) {
        if (error instanceof CannotFound) {
          if (!isServing) throw new BadSetting(error.message);
          return log.fatal(`${error.message} Nothing is asked of the card provider.`);
        }
        if (error instanceof ProviderRefused && !isServing) throw new BadSetting(error.message);
        log.warn({ err: error }, 'the card provider’s account could not be read; it is tried again');
      }
      await pause(FOUNDING_RETRY_MS);
    }
  };
  const proven = attempt();
  proven.catch(() => undefined);
  await Promise.race([proven, pause(FOUNDED_WITHIN_MS)]);
  isServing = true;
}
