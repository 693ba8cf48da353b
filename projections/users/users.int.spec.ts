/** Users as their streams say. Each event is fed twice; a replay yields the same rows. */
import { describe, expect, it } from '@jest/globals';
import { tipPageStream, type TipPageEvent } from '#contracts/events/tip-page';
import { userStream } from '#contracts/events/user';
import { exactKeyOf } from '#log/digest';
import { JUNO, MILO, openAccount } from '#test/support/journal-spec';
import { useReadSides, type ReadSide } from '#test/support/read-side';
import { profileOf, sealedFor } from '#test/support/plain-vault';
import { halfForgotten } from '../schedules/queries.js';
import { isOthersUsername, userByEmail, userById, userByName, userByUsername } from './queries.js';

const sides = useReadSides();

const ASKER = 'usr_asker';

describe('users', () => {
  it('are known by id from their first sign-in on, with what the provider said of them', async () => {
    const side = await sides.open();
    const { metadata } = side.story.register(
      JUNO,
      profileOf('juno', { profileImageUrl: 'https://img.example.org/j.png' }),
    );
    await side.feed();
    expect(await userById(side.db, JUNO)).toEqual({
      id: JUNO,
      username: 'juno',
      email: 'juno@example.org',
      emailVerified: true,
      firstName: 'Juno',
      lastName: 'Example',
      // Elsewhere: not shown, whoever named it.
      profileImageUrl: null,
      registeredAt: new Date(metadata.recordedAt),
      forgotten: false,
      privacyMode: false,
    });
    expect(await userById(side.db, MILO)).toBeUndefined();
  });

  it('hide nothing in their names, also where an old profile does', async () => {
    const side = await sides.open();
    side.story.register(
      JUNO,
      profileOf('ju\u00adno', { firstName: '\u202eJu\u200bno', lastName: ' Vala\u2060stro' }),
    );
    await side.feed();
    expect(await userById(side.db, JUNO)).toMatchObject({
      username: 'juno',
      firstName: 'Juno',
      lastName: 'Valastro',
    });
  });

  it('tell nobody their address as their username, also where an old profile does', async () => {
    const side = await sides.open();
    side.story.register(JUNO, profileOf('juno', { username: 'juno@example.org' }));
    await side.feed();
    const juno = await userById(side.db, JUNO);
    expect(juno?.username).toBe('user_juno');
    expect(await userByUsername(side.db, 'user_juno', ASKER)).toEqual(juno);
  });

  it('are found by the username that is shown everywhere, in any case, while only one goes by it', async () => {
    const side = await sides.open();
    side.story.register(JUNO, profileOf('JunoPlays'));
    await side.feed();
    expect((await userByUsername(side.db, 'junoplays', ASKER))?.id).toBe(JUNO);
    expect(await userByUsername(side.db, 'juno', ASKER)).toBeUndefined();
    expect(await userByUsername(side.db, '%', ASKER)).toBeUndefined();
    side.story.register(MILO, profileOf('junoplays', { email: 'milo@example.org' }));
    await side.feed();
    expect(await userByUsername(side.db, 'junoplays', ASKER)).toBeUndefined();
  });

  it('keep their username to themselves: nobody else takes it as a handle', async () => {
    const side = await sides.open();
    side.story.register(JUNO, profileOf('JunoPlays'));
    side.story.switch(JUNO, 'privacyModeEnabled', true);
    await side.feed();
    expect(await isOthersUsername(side.db, ASKER, 'junoplays')).toBe(true);
    expect(await isOthersUsername(side.db, JUNO, 'junoplays')).toBe(false);
    expect(await isOthersUsername(side.db, ASKER, 'juno')).toBe(false);
    side.story.forget(JUNO);
    await side.feed();
    expect(await isOthersUsername(side.db, ASKER, 'junoplays')).toBe(false);
  });

  describe('by the handle of their tip page', () => {
    const handleChosen = (handle: string): TipPageEvent => ({
      type: 'TipPageHandleChosen',
      data: {
        userId: JUNO,
        handleKey: handle,
        exactKey: exactKeyOf(handle),
        handle: sealedFor(JUNO, handle),
      },
    });
    const published: TipPageEvent = { type: 'TipPagePublished', data: { userId: JUNO } };
    const unpublished: TipPageEvent = { type: 'TipPageUnpublished', data: { userId: JUNO } };
    const withPage = async (...events: readonly TipPageEvent[]) => {
      const side = await sides.open();
      side.story.register(JUNO, profileOf('juno'));
      for (const event of events) side.story.write(tipPageStream(JUNO), event);
      await side.feed();
      return side;
    };
    const found = async (side: ReadSide, name: string) => (await userByName(side.db, name, ASKER))?.id;

    it('are found while it is published', async () => {
      const side = await withPage(handleChosen('juno_plays'));
      expect(await found(side, 'juno_plays')).toBeUndefined();
      side.story.write(tipPageStream(JUNO), published);
      await side.feed();
      expect(await found(side, 'Juno_Plays')).toBe(JUNO);
      expect(await found(side, 'juno_play')).toBeUndefined();
    });

    it('are found by an older one too, and nobody who takes it as a username is', async () => {
      const side = await withPage(handleChosen('juno_plays'), published, handleChosen('juno_live'));
      side.story.register(MILO, profileOf('Juno_Plays', { email: 'milo@example.org' }));
      await side.feed();
      expect([await found(side, 'juno_live'), await found(side, 'juno_plays')]).toEqual([JUNO, JUNO]);
    });

    it('keep it while the page is taken back and once they have left: nobody else is found by it', async () => {
      const side = await withPage(handleChosen('juno_plays'), published, unpublished);
      side.story.register(MILO, profileOf('juno_plays', { email: 'milo@example.org' }));
      await side.feed();
      expect(await found(side, 'juno_plays')).toBeUndefined();
      side.story.forget(JUNO);
      await side.feed();
      expect(await found(side, 'juno_plays')).toBeUndefined();
    });

    it('are found by a username that is their own handle, published or not', async () => {
      const side = await withPage(handleChosen('juno'));
      expect(await found(side, 'juno')).toBe(JUNO);
    });
  });

  it('are found by a proven address, whole and in any case, so that money finds its way', async () => {
    const side = await sides.open();
    side.story.register(JUNO, profileOf('juno', { email: 'Juno.Star@Example.org' }));
    await side.feed();
    expect((await userByEmail(side.db, 'juno.star@EXAMPLE.org', ASKER))?.id).toBe(JUNO);
    expect(await userByEmail(side.db, 'juno.star', ASKER)).toBeUndefined();
    expect(await userByEmail(side.db, '%', ASKER)).toBeUndefined();
  });

  it('are not found by an address that they have not proven: money would reach whoever claims it', async () => {
    const side = await sides.open();
    side.story.register(JUNO, profileOf('juno', { emailVerified: false }));
    await side.feed();
    expect(await userByEmail(side.db, 'juno@example.org', ASKER)).toBeUndefined();
    side.story.changeProfile(JUNO, profileOf('juno', { emailVerified: true }));
    await side.feed();
    expect((await userByEmail(side.db, 'juno@example.org', ASKER))?.id).toBe(JUNO);
  });

  it('are found by nobody but themselves while privacy mode is on; one who shares the address is found instead', async () => {
    const side = await sides.open();
    side.story.register(JUNO, profileOf('juno', { email: 'shared@example.org' }));
    side.story.switch(JUNO, 'privacyModeEnabled', true);
    await side.feed();
    const found = async (asker: string) => (await userByEmail(side.db, 'shared@example.org', asker))?.id;
    expect([await found(ASKER), await found(JUNO)]).toEqual([undefined, JUNO]);
    expect((await userById(side.db, JUNO))?.privacyMode).toBe(true);
    side.story.register(MILO, profileOf('milo', { email: 'shared@example.org' }));
    await side.feed();
    expect([await found(ASKER), await found(JUNO)]).toEqual([MILO, JUNO]);
    side.story.switch(JUNO, 'privacyModeEnabled', false);
    await side.feed();
    expect(await found(ASKER)).toBe(JUNO);
  });

  it('keep their address’s payments when a later identity proves the same address', async () => {
    const side = await sides.open();
    side.story.register(JUNO, profileOf('juno', { email: 'shared@example.org' }));
    side.story.register(MILO, profileOf('milo', { email: 'shared@example.org' }));
    await side.feed();
    expect((await userByEmail(side.db, 'shared@example.org', ASKER))?.id).toBe(JUNO);
  });

  it('change with a later sign-in, and are found by the new address only', async () => {
    const side = await sides.open();
    side.story.register(JUNO, profileOf('juno'));
    await side.feed();
    side.story.changeProfile(JUNO, profileOf('juno', { email: 'new@example.org', lastName: 'Moon' }));
    await side.feed();
    expect(await userById(side.db, JUNO)).toMatchObject({
      email: 'new@example.org',
      lastName: 'Moon',
      username: 'juno',
    });
    expect(await userByEmail(side.db, 'juno@example.org', ASKER)).toBeUndefined();
  });

  it('leave nothing but an id when they are forgotten', async () => {
    const side = await sides.open();
    side.story.register(JUNO, profileOf('juno'));
    await side.feed();
    side.story.forget(JUNO);
    await side.feed();
    expect(await userById(side.db, JUNO)).toMatchObject({
      id: JUNO,
      username: null,
      email: null,
      emailVerified: false,
      firstName: null,
      lastName: null,
      profileImageUrl: null,
      forgotten: true,
    });
    expect(await userByEmail(side.db, 'juno@example.org', ASKER)).toBeUndefined();
  });

  it('are forgotten by half from the closing of their account until the log says that all is done', async () => {
    const side = await sides.open();
    side.story.register(JUNO, profileOf('juno'));
    side.story.register(MILO, profileOf('milo'));
    side.story.command(openAccount(JUNO), openAccount(MILO));
    const half = async (): Promise<string[]> => {
      await side.feed();
      return halfForgotten(side.db, 10);
    };
    expect(await half()).toEqual([]);
    side.story.command({ type: 'CloseAccount', userId: JUNO }, { type: 'CloseAccount', userId: MILO });
    expect(await half()).toEqual([JUNO, MILO]);
    expect(await halfForgotten(side.db, 10, JUNO)).toEqual([MILO]);
    // A closed account is not yet a forgotten name.
    expect(await userById(side.db, JUNO)).toMatchObject({ username: 'juno', forgotten: false });
    side.story.forget(JUNO);
    expect(await half()).toEqual([JUNO, MILO]);
    side.story.write(userStream(JUNO), { type: 'ForgettingFinished', data: { userId: JUNO } });
    expect(await half()).toEqual([MILO]);
  });
});
