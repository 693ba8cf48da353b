import { Module } from '@nestjs/common';
import { Forgetting } from './forgetting.js';
import { RegisterPersonHandler } from './users.handlers.js';
import { AskUserHandler } from './user-door.js';

/** People: their registration at sign-in, and forgetting them. */
@Module({
  providers: [AskUserHandler, RegisterPersonHandler, Forgetting],
})
export class UsersModule {}
