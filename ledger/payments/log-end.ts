/** Tells workers where the log ends, and whether it is still the log on which they set a mark. */
import { Injectable } from '@nestjs/common';
import { InternalCommands } from '../bus/internal-commands.js';
import { Journal } from '../journal/journal.js';

@Injectable()
export class LogEndAnswers {
  constructor(journal: Journal, commands: InternalCommands) {
    commands.on('FindLogEnd', async ({ known }) => ({
      looked: 1,
      failed: [],
      ...(await journal.endNow(known)),
    }));
  }
}
