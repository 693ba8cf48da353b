/** Why an app that is open still does not do all that it should: what its processes say of themselves. */
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';

/** What a start puts right by itself is not told. */
const SETTLES_WITHIN_MS = 5_000;
const LOOK_EVERY_MS = 500;
const ANSWERS_WITHIN_MS = 2_000;

const Readiness = z.object({ reasons: z.array(z.string()).default([]) });

/**
 * The reasons that processes still give once a start has had its time to settle, each once; nothing where
 * they give none. One that does not answer is started again by others, and says nothing here. `ports` are
 * those of /readyz.
 */
export async function reasonsNotReady(
  ports: readonly number[],
  signal: AbortSignal,
  settlesWithinMs = SETTLES_WITHIN_MS,
): Promise<readonly string[]> {
  const until = Date.now() + settlesWithinMs;
  for (;;) {
    const reasons = (await Promise.all(ports.map((port) => reasonsAt(port, signal)))).flat();
    if (reasons.length === 0 || Date.now() > until || signal.aborted) return [...new Set(reasons)];
    await pause(Math.min(LOOK_EVERY_MS, settlesWithinMs));
  }
}

async function reasonsAt(port: number, signal: AbortSignal): Promise<readonly string[]> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWERS_WITHIN_MS)]),
    });
    return Readiness.parse(await answer.json()).reasons;
  } catch {
    return [];
  }
}
