# The program, without a libc to depend on, and git, which it fetches repositories with: docker build -t skills .
FROM rust:1-alpine AS build
WORKDIR /src
COPY . .
RUN cargo build --release --locked

FROM alpine:3.22
RUN apk add --no-cache git
COPY --from=build /src/target/release/skills /usr/local/bin/skills
WORKDIR /work
ENTRYPOINT ["skills"]
CMD ["validate"]
