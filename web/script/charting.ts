/**
 * Adds arrow keys to charts, which move between the values, so that a chart is one stop of the Tab key. Also adds two
 * buttons that save the drawing with its heading as SVG and as PNG, always in the light colours.
 */

/** Marks a text that is translated on pages in other languages. */
declare function t(text: string): string;

export default function enhanceCharts(): void {
  const namespace = "http://www.w3.org/2000/svg";
  const copied = [
    ...["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "paint-order"],
    ...["vector-effect", "opacity", "font-size", "font-weight", "font-family", "text-anchor"],
  ];
  const width = 800;
  const margin = 24;

  const lightColours = (): [string, string][] => {
    for (const sheet of document.styleSheets) {
      for (const rule of sheet.cssRules) {
        if (rule instanceof CSSStyleRule && rule.selectorText === ":root") {
          return [...rule.style].map((name) => [name, rule.style.getPropertyValue(name)]);
        }
      }
    }
    return [];
  };

  const breakLines = (text: string, font: string) => {
    const pen = document.createElement("canvas").getContext("2d");
    const lines = [""];
    for (const word of text.split(/\s+/)) {
      const longer = `${lines.at(-1)} ${word}`.trim();
      if (pen) pen.font = font;
      if (pen && pen.measureText(longer).width > width - 2 * margin) lines.push(word);
      else lines[lines.length - 1] = longer;
    }
    return lines;
  };

  const draw = (figure: HTMLElement, svg: SVGSVGElement): { text: string; height: number } => {
    const stage = document.createElement("div");
    stage.className = "export";
    for (const [name, value] of lightColours()) stage.style.setProperty(name, value);
    stage.append(svg.cloneNode(true));
    const copy = stage.querySelector("svg") ?? svg;
    svg.before(stage);
    stage.style.width = `${width - 2 * margin}px`;
    const style = getComputedStyle(copy);
    const [top = 0, right = 0, bottom = 0, left = 0] = [
      style.paddingTop,
      style.paddingRight,
      style.paddingBottom,
      style.paddingLeft,
    ].map(Number.parseFloat);
    const box = copy.getBoundingClientRect();
    const family = getComputedStyle(document.body).fontFamily;
    const ground = style.getPropertyValue("--ground");
    const [ink, faint] = [style.getPropertyValue("--ink"), style.getPropertyValue("--faint")];
    for (const hidden of copy.querySelectorAll(".tip, .hit")) hidden.remove();
    for (const element of copy.querySelectorAll<SVGElement>("*")) {
      const computed = getComputedStyle(element);
      if (computed.display === "none") {
        element.remove();
        continue;
      }
      for (const name of copied) element.setAttribute(name, computed.getPropertyValue(name));
    }
    for (const element of copy.querySelectorAll<SVGElement>("*")) {
      for (const name of ["tabindex", "role", "aria-label", "class"]) element.removeAttribute(name);
      const to = element.getAttribute("href");
      if (to) element.setAttribute("href", new URL(to, location.href).href);
    }
    stage.remove();
    const out = document.createElementNS(namespace, "svg");
    let y = margin;
    const write = (text: string, size: number, weight: number, colour: string) => {
      for (const line of breakLines(text, `${weight} ${size}px ${family}`)) {
        y += size * 1.3;
        const element = document.createElementNS(namespace, "text");
        const attributes = {
          x: margin,
          y,
          "font-size": size,
          "font-weight": weight,
          "font-family": family,
          fill: colour,
        };
        for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
        element.textContent = line;
        out.append(element);
      }
    };
    const readWords = (selector: string) => figure.querySelector<HTMLElement>(selector)?.innerText.trim() ?? "";
    const subject = readWords(".subject");
    write(`${subject}: ${document.querySelector("h1")?.textContent.trim() ?? ""}`, 13, 600, faint);
    write(readWords("h2, h3").replace(subject, "").trim(), 21, 700, ink);
    write(readWords(".basis"), 14, 400, faint);
    const places = { x: margin + left, y: y + top, width: box.width - left - right, height: box.height - top - bottom };
    for (const [name, value] of Object.entries(places)) copy.setAttribute(name, String(value));
    copy.setAttribute("overflow", "visible");
    for (const name of ["class", "role", "aria-labelledby"]) copy.removeAttribute(name);
    out.append(copy);
    y += box.height + 8;
    const asOf = document.querySelector<HTMLTimeElement>(".bottom time")?.dateTime;
    const site = document.querySelector<HTMLMetaElement>("meta[property='og:site_name']")?.content ?? "SHARE";
    const day = asOf ? t(`, as of ${asOf}`) : "";
    write(`${site}${day} · ${location.href.split("#")[0]}`, 12, 400, faint);
    const height = Math.ceil(y + margin);
    const back = document.createElementNS(namespace, "rect");
    for (const [name, value] of Object.entries({ width: "100%", height: "100%", fill: ground }))
      back.setAttribute(name, value);
    out.prepend(back);
    for (const [name, value] of Object.entries({ width, height })) out.setAttribute(name, String(value));
    return { text: new XMLSerializer().serializeToString(out), height };
  };

  const save = (blob: Blob, name: string) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  };

  const pictureOf = async (vectors: Blob, height: number) => {
    const image = new Image();
    image.src = URL.createObjectURL(vectors);
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = 2 * width;
    canvas.height = 2 * height;
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    URL.revokeObjectURL(image.src);
    return new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
  };

  for (const figure of document.querySelectorAll<HTMLElement>("figure[data-chart]")) {
    const svg = figure.querySelector<SVGSVGElement>(":scope > svg");
    if (!svg) continue;
    const values = [...svg.querySelectorAll<SVGElement>("a, [tabindex]")];
    const choose = (chosen: SVGElement | undefined) => {
      for (const value of values) value.setAttribute("tabindex", value === chosen ? "0" : "-1");
    };
    choose(values.find((value) => value.querySelector(".here")) ?? values[0]);
    svg.addEventListener("keydown", (event) => {
      const at = values.findIndex((value) => value.matches(":focus"));
      const places: Record<string, number> = {
        ArrowRight: at + 1,
        ArrowDown: at + 1,
        ArrowLeft: at - 1,
        ArrowUp: at - 1,
        Home: 0,
        End: values.length - 1,
      };
      const next = values[places[event.key] ?? -1];
      if (!next) return;
      event.preventDefault();
      choose(next);
      next.focus();
    });
    for (const button of figure.querySelectorAll<HTMLButtonElement>("[data-save]")) {
      button.hidden = false;
      button.addEventListener("click", async () => {
        const { text, height } = draw(figure, svg);
        const vectors = new Blob([text], { type: "image/svg+xml" });
        const isPicture = button.dataset.save === "png";
        const blob = isPicture ? await pictureOf(vectors, height) : vectors;
        if (blob) save(blob, `${figure.id}.${button.dataset.save}`);
      });
    }
  }
}
