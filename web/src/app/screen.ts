/** A screen in a chunk of its own, which may be loaded ahead of its use. */
import type { ThunkDispatch, UnknownAction } from '@reduxjs/toolkit';
import { createElement, lazy, useState, type ComponentType } from 'react';
import { unlessLeaving } from '../shared/navigation/leaving.js';

export type Dispatch = ThunkDispatch<unknown, unknown, UnknownAction>;

interface PageModule {
  readonly default: ComponentType;
  /**
   * Before the page of a path is opened: loads what else it is made of and, with `dispatch`, asks the server
   * for what it shows first.
   */
  readonly prepare?: (path: string, dispatch?: Dispatch) => unknown;
}

export interface Screen {
  readonly load: () => Promise<PageModule>;
  /** Where its code was loaded ahead, it is drawn at once, with no skeleton before it. */
  readonly Page: ComponentType;
}

export function screen(load: Screen['load']): Screen {
  let loaded: ComponentType | undefined;
  const noting = async (): Promise<PageModule> => {
    const module = await load();
    loaded = module.default;
    return module;
  };
  const Later = lazy(() => noting().catch(unlessLeaving));
  function Page() {
    // What was drawn first stays: another component in its place would begin anew.
    const [Drawn] = useState(() => loaded ?? Later);
    return createElement(Drawn);
  }
  return { load: noting, Page };
}
