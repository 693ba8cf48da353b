/** `encore audit provider`: the books against the balance at the card provider, movement by movement. */
import { checkProvider } from '#audit/provider-balance';
import { hasPassed, reportLines } from '#audit/report';
import { providerSide } from '../provider.js';
import type { Answer, AuditIo, Verb } from '../verb.js';

async function compared(io: AuditIo): Promise<Answer> {
  const checks = await checkProvider(io.openLog(), providerSide());
  const isInOrder = hasPassed(checks);
  return { status: isInOrder ? 0 : 1, lines: reportLines(checks), json: { isInOrder, checks } };
}

export const providerVerb: Verb = (audit, io) => {
  audit
    .command('provider')
    .description('hold the books against the balance at the card provider, movement by movement')
    .action(async () => io.answer(await compared(io)));
};
