// Browsers start no worker from a file: address. Where the site is read from its folder, the search of the theme runs in a
// hidden frame instead: messages go in and out as they would with a worker.
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(address) {
      super();
      this.waiting = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.title = "search";
      frame.addEventListener("load", () => this.start(frame.contentWindow, address), { once: true });
      frame.srcdoc = "<!doctype html><title>search</title><body>";
      document.body.append(frame);
    }

    start(inside, address) {
      const answer = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      inside.postMessage = (data) => setTimeout(answer, 0, data);
      inside.importScripts = (...scripts) => Promise.all(scripts.map((script) => this.load(inside, script)));
      this.load(inside, address).then(() => {
        this.inside = inside;
        this.waiting.splice(0).forEach((data) => this.postMessage(data));
      });
    }

    load(inside, address) {
      return new Promise((loaded, failed) => {
        const script = inside.document.createElement("script");
        script.src = address;
        script.onload = loaded;
        script.onerror = failed;
        inside.document.body.append(script);
      });
    }

    postMessage(data) {
      if (this.inside) this.inside.dispatchEvent(new this.inside.MessageEvent("message", { data }));
      else this.waiting.push(data);
    }
  };
  window.Worker = window.IFrameWorker;
}
