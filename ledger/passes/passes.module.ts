import { Module } from '@nestjs/common';
import { PassesController } from './passes.controller.js';

/** Apple Wallet passes. */
@Module({ controllers: [PassesController] })
export class PassesModule {}
