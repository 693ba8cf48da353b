/** Telling somebody something: kept in the app, and to be mailed. */
import { Injectable } from '@nestjs/common';
import { KeyDestroyed, Vault } from '#log/vault';
import { Messages, type NewMessage } from '../bus/messages.js';
import { MessageStore } from './message-store.js';

@Injectable()
export class MessageOutbox extends Messages {
  constructor(
    private readonly store: MessageStore,
    private readonly vault: Vault,
  ) {
    super();
  }

  async put(message: NewMessage): Promise<void> {
    const { userId, mailLink } = message;
    if (mailLink === undefined) return this.store.put([message]);
    try {
      return await this.store.put([{ ...message, sealedLink: await this.vault.seal(userId, mailLink) }]);
    } catch (error) {
      // Somebody who is forgotten is told nothing.
      if (!(error instanceof KeyDestroyed)) throw error;
    }
  }
}
