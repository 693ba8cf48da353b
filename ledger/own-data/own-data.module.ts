import { Module } from '@nestjs/common';
import { OwnDataController } from './own-data.controller.js';

/** A person's own data as one download. */
@Module({ controllers: [OwnDataController] })
export class OwnDataModule {}
