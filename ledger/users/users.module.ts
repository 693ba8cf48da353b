import { Module } from '@nestjs/common';
import { Forgetting } from './forgetting.js';
import { RegisterPersonHandler } from './users.handlers.js';
import { AskUserHandler } from './user-door.js';
import { UsersController } from './users.controller.js';

/** People: their registration at sign-in, and the calls that read them. */
@Module({
  controllers: [UsersController],
  providers: [AskUserHandler, RegisterPersonHandler, Forgetting],
})
export class UsersModule {}
