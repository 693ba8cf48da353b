import { Module } from '@nestjs/common';
import { PictureStore } from './picture-store.js';
import { PicturesController } from './pictures.controller.js';
import { DropPictureHandler } from './pictures.handlers.js';

/** What people look like: one picture each, uploaded by themselves. */
@Module({ controllers: [PicturesController], providers: [PictureStore, DropPictureHandler] })
export class PicturesModule {}
