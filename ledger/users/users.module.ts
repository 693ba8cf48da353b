import { Module } from '@nestjs/common';
import { ForgetUserHandler, RegisterPersonHandler } from './users.handlers.js';

/** People: their registration at sign-in, and forgetting them. */
@Module({ providers: [RegisterPersonHandler, ForgetUserHandler] })
export class UsersModule {}
