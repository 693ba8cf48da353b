import { Module } from '@nestjs/common';
import { IdentityController } from './identity.controller.js';

/** Signing in and out. */
@Module({ controllers: [IdentityController] })
export class IdentityModule {}
