import { Module } from '@nestjs/common';
import { MonthEnd } from './month-end.handlers.js';

/** Closing months of the books. */
@Module({ providers: [MonthEnd] })
export class MonthEndModule {}
