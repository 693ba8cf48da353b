import { Module } from '@nestjs/common';
import { UsersModule } from '../users/users.module.js';
import { IdentityController } from './identity.controller.js';

/** Signing in and out. */
@Module({ imports: [UsersModule], controllers: [IdentityController] })
export class IdentityModule {}
