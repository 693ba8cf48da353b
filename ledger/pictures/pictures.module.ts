import { Module } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DropPictureOf } from '../bus/forget-user.js';
import { PictureStore } from './picture-store.js';
import { PicturesController } from './pictures.controller.js';

@CommandHandler(DropPictureOf)
class DropPictureHandler implements ICommandHandler<DropPictureOf> {
  constructor(private readonly pictures: PictureStore) {}

  execute({ userId }: DropPictureOf): Promise<void> {
    return this.pictures.remove(userId);
  }
}

/** What people look like: one picture each, uploaded by themselves. */
@Module({ controllers: [PicturesController], providers: [PictureStore, DropPictureHandler] })
export class PicturesModule {}
