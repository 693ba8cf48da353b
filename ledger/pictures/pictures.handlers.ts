/** What forgetting a user asks of their picture. */
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DropPictureOf } from '../bus/forget-user.js';
import { PictureStore } from './picture-store.js';

@CommandHandler(DropPictureOf)
export class DropPictureHandler implements ICommandHandler<DropPictureOf> {
  constructor(private readonly pictures: PictureStore) {}

  execute({ userId }: DropPictureOf): Promise<void> {
    return this.pictures.remove(userId);
  }
}
