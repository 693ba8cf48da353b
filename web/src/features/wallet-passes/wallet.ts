/** Apple Wallet passes, made by the server. */
import { useState } from 'react';
import { PASS_FILE, QR_PASS_FILE } from '#contracts/plain/qr-content';
import { api } from '../../shared/api/api.js';
import { useFailure } from '../../shared/ui/failure.js';
import { useToast } from '../../shared/ui/toasts.js';
import { saveFile } from '../../shared/ui/save-file.js';

const NOT_SUPPORTED = {
  title: 'Apple Wallet Not Supported',
  description: 'Apple Wallet is only supported on iOS devices using Safari.',
} as const;

/**
 * Every browser on iOS calls itself Safari; the others add their own name. An iPad claims to be a Mac with a
 * touch screen.
 */
export function hasAppleWallet({
  userAgent,
  maxTouchPoints,
}: Pick<Navigator, 'userAgent' | 'maxTouchPoints'>): boolean {
  const isIos = /iPhone|iPad|iPod/.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1);
  return (
    isIos &&
    /Safari\//.test(userAgent) &&
    /Version\//.test(userAgent) &&
    !/CriOS|FxiOS|EdgiOS|OPiOS|OPT\/|DuckDuckGo/.test(userAgent)
  );
}

interface TipPass {
  readonly userId: string;
  readonly amount: string | null;
  readonly description: string | null;
}

const passes = api.injectEndpoints({
  endpoints: (build) => ({
    generatePass: build.mutation<string, TipPass>({
      query: (body) => ({ path: '/api/apple-wallet/generate-pass', method: 'POST', answer: 'file', body }),
      // The store holds the object URL of the file, which is valid until the page closes.
      transformResponse: (file: Blob) => URL.createObjectURL(file),
    }),
    generateQrPass: build.mutation<string, { readonly amount: string | null }>({
      query: (body) => ({ path: '/api/apple-wallet/generate-qr-pass', method: 'POST', answer: 'file', body }),
      transformResponse: (file: Blob) => URL.createObjectURL(file),
    }),
  }),
});
const { useGeneratePassMutation, useGenerateQrPassMutation } = passes;

/** Requests a pass and opens it. Returns whether that worked. */
function usePassMaker(name: string, failed: string): (make: () => Promise<string>) => Promise<boolean> {
  const fail = useFailure();
  return async (make) => {
    try {
      saveFile(name, await make());
      return true;
    } catch (error) {
      fail(error, failed);
      return false;
    }
  };
}

/** True if the device supports passes; otherwise shows a toast. */
export function useWalletCheck(): () => boolean {
  const toast = useToast();
  return () => {
    const isSupported = hasAppleWallet(navigator);
    if (!isSupported) toast.error(NOT_SUPPORTED.title, NOT_SUPPORTED.description);
    return isSupported;
  };
}

/** The pass for tips. */
export function useTipPass(userId: string): { readonly isBusy: boolean; readonly add: () => void } {
  const check = useWalletCheck();
  const [generate, { isLoading }] = useGeneratePassMutation();
  const make = usePassMaker(PASS_FILE, 'Failed to generate Apple Wallet pass. Please try again.');
  const add = () => {
    if (check() && !isLoading)
      void make(() => generate({ userId, amount: null, description: null }).unwrap());
  };
  return { isBusy: isLoading, add };
}

/** The pass with a QR code, for a fixed amount or any. */
export function useQrPass(): {
  readonly isBusy: boolean;
  readonly add: (amount: string | null) => Promise<boolean>;
} {
  const [generate] = useGenerateQrPassMutation();
  const [isBusy, setBusy] = useState(false);
  const make = usePassMaker(QR_PASS_FILE, 'Failed to generate QR payment pass. Please try again.');
  const add = async (amount: string | null) => {
    setBusy(true);
    const isMade = await make(() => generate({ amount }).unwrap());
    setBusy(false);
    return isMade;
  };
  return { isBusy, add };
}
