/** Passkeys that cannot be read guard all the same: nobody gets past them because a record is damaged. */
import type { CommandBus } from '@nestjs/cqrs';
import { describe, expect, it } from '@jest/globals';
import { passkeysStream } from '#contracts/events/passkeys';
import { UnreadableText, type VaultReader } from '#log/vault-reader';
import type { Vault } from '#log/vault';
import { sealedFor } from '#test/support/plain-vault';
import { Story } from '#test/support/story';
import { StreamRunner } from '../streams/runner.js';
import { PasskeyHandlers } from './passkeys.handlers.js';
import type { PasskeyTokens } from './passkey-tokens.js';
import type { Confirmations } from '../step-up/confirmations.js';

const JUNO = 'usr_juno';
const CREDENTIAL = {
  credentialId: 'c',
  publicKey: 'k',
  transports: [],
  label: 'Phone',
  enrolledAt: '2026-03-01T21:00:00.000Z',
};

function world() {
  const story = new Story();
  const unsealOr: VaultReader['unsealOr'] = (sealed, otherwise) =>
    story.vault.unseal(sealed).catch((error: unknown) => {
      if (error instanceof UnreadableText) return otherwise;
      throw error;
    });
  const passkeys = new PasskeyHandlers(
    {} as CommandBus,
    new StreamRunner(story.log),
    { unsealOr } as unknown as Vault,
    {} as PasskeyTokens,
    {} as Confirmations,
    'http://localhost:3000',
  );
  const enrol = (): void =>
    void story.write(passkeysStream(JUNO), {
      type: 'PasskeyEnrolled',
      data: { userId: JUNO, passkeyId: 'psk_1', credential: sealedFor(JUNO, JSON.stringify(CREDENTIAL)) },
    });
  return { story, passkeys, enrol };
}

describe('a passkey that cannot be read', () => {
  it('is asked for all the same, and cannot be used', async () => {
    const { story, passkeys, enrol } = world();
    expect(await passkeys.guards(JUNO)).toBe(false);
    enrol();
    expect([await passkeys.guards(JUNO), (await passkeys.of(JUNO)).length]).toEqual([true, 1]);
    story.vault.lost.add(JUNO);
    expect([await passkeys.guards(JUNO), (await passkeys.of(JUNO)).length]).toEqual([true, 0]);
    await expect(passkeys.assertionOptions({ userId: JUNO, sessionId: 's' }, 'asked')).rejects.toThrow(
      /^Your passkeys cannot be read at the moment, and what they guard stays guarded/,
    );
  });

  it('does not let anybody pass while its stream is parked', async () => {
    const { story, passkeys, enrol } = world();
    enrol();
    story.log.put(passkeysStream(JUNO), { id: 'strange', type: 'Strange', data: {}, metadata: {} });
    await expect(passkeys.guards(JUNO)).rejects.toMatchObject({
      name: 'StreamParked',
      answer: { status: 409, message: expect.stringMatching(/^Your passkeys cannot be asked for/) },
    });
  });
});
