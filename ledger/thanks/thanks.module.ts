import { Module } from '@nestjs/common';
import { ThanksController } from './thanks.controller.js';

/** Thanks that go back to whoever paid. */
@Module({ controllers: [ThanksController] })
export class ThanksModule {}
