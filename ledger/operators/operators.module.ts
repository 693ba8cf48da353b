import { Module } from '@nestjs/common';
import { OperatorDecisions } from './operators.handlers.js';

/** What operators decide by hand. */
@Module({ providers: [OperatorDecisions] })
export class OperatorsModule {}
