import { Module } from '@nestjs/common';
import { EventsOutController } from './events-out.controller.js';

/** What browsers are told without asking. */
@Module({ controllers: [EventsOutController] })
export class EventsOutModule {}
